/** The labelled fields of forms, and what a form does when it is sent. */

/** The handler of a form that is sent by the page, not by the browser. */
export const onSend =
  (act: () => unknown) =>
  (event: Event): void => {
    event.preventDefault()
    void act()
  }

/** The handler of a text field: Ctrl or Cmd with Enter sends the form. */
export const onCtrlEnter =
  (act: () => unknown) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    void act()
  }

type Named<T> = {
  readonly name: string
  readonly class?: 'field' | 'field-inline'
  readonly value: T
  readonly onChange: (value: T) => void
}

export function TextField({
  name,
  class: look = 'field',
  onChange,
  ...rest
}: Named<string> & {
  readonly dir?: 'auto'
  readonly placeholder?: string
  readonly required?: boolean
}) {
  return (
    <label class={look}>
      <span>{name}</span>
      <input {...rest} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
    </label>
  )
}

export function SelectField<T extends string>({
  name,
  class: look = 'field-inline',
  value,
  title,
  options,
  onChange,
}: Named<T> & {
  readonly title?: string | undefined
  readonly options: readonly (readonly [value: T, shown: string])[]
}) {
  return (
    <label class={look}>
      <span>{name}</span>
      <select
        value={value}
        title={title}
        onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
      >
        {options.map(([one, shown]) => (
          <option key={one} value={one}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  )
}

export function CheckField({ name, value, onChange }: Omit<Named<boolean>, 'class'>) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>{name}</span>
    </label>
  )
}

/** One of a few choices that are all in sight. `group` is the same for no other field of the page. */
export function Segments<T>({
  name,
  group,
  value,
  options,
  onChange,
}: Omit<Named<T>, 'class'> & {
  readonly group: string
  readonly options: readonly (readonly [value: T, shown: string])[]
}) {
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{name}</legend>
      {options.map(([one, shown]) => (
        <label key={shown}>
          <input type="radio" name={group} checked={one === value} onChange={() => onChange(one)} />
          <span>{shown}</span>
        </label>
      ))}
    </fieldset>
  )
}
