/** What each action of `update` needs and takes is written in one table. */

export const ACTIONS = [
  'edit',
  'supersede',
  'forget',
  'restore',
  'link',
  'unlink',
  'reinforce',
  'deemphasize',
  'add_fact',
  'reinforce_fact',
  'end_fact',
  'undo',
  'summarise',
  'save_lens',
  'remove_lens',
] as const
export type Action = (typeof ACTIONS)[number]

/** What an edit may change besides the text. */
export const EDITED = [
  'namespace',
  'title',
  'kind',
  'tags',
  'people',
  'source',
  'metadata',
  'importance',
  'sector',
  'tier',
  'salience',
  'occurredAt',
] as const

type Name =
  | 'id'
  | 'ids'
  | 'by'
  | 'text'
  | 'to'
  | 'type'
  | 'note'
  | 'amount'
  | 'fact'
  | 'factId'
  | 'revision'
  | 'name'
  | 'options'
  | (typeof EDITED)[number]

export const ARGUMENTS_OF: Readonly<
  Record<Action, { readonly needs: readonly Name[]; readonly takes: readonly Name[] }>
> = {
  edit: { needs: ['id'], takes: ['text', ...EDITED] },
  supersede: { needs: ['id'], takes: ['by', 'text', 'note'] },
  forget: { needs: ['ids'], takes: [] },
  restore: { needs: ['ids'], takes: [] },
  link: { needs: ['id', 'to'], takes: ['type', 'note'] },
  unlink: { needs: ['id', 'to'], takes: ['type'] },
  reinforce: { needs: ['ids'], takes: ['amount'] },
  deemphasize: { needs: ['ids'], takes: ['amount'] },
  add_fact: { needs: ['id', 'fact'], takes: [] },
  reinforce_fact: { needs: ['factId'], takes: ['amount'] },
  end_fact: { needs: ['factId'], takes: [] },
  undo: { needs: ['id'], takes: ['revision'] },
  summarise: { needs: ['text'], takes: [] },
  save_lens: { needs: ['name', 'options'], takes: ['note'] },
  remove_lens: { needs: ['name'], takes: [] },
}
