/** A sentence of the server is shown as text, with what stands in backticks as code. */

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
