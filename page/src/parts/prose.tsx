/** A sentence of the server, with backticks shown as code. */

export function Prose({ text }: { readonly text: string }) {
  return (
    <bdi>
      {text.split('`').map((piece, i) => {
        const key = `${i} ${piece}`
        return i % 2 === 1 ? <code key={key}>{piece}</code> : <span key={key}>{piece}</span>
      })}
    </bdi>
  )
}
