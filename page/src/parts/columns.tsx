/** Counts as a column chart, with the same numbers as a table. */

import type { ComponentChildren } from 'preact'
import { count, shortCount } from './numbers.js'
import { roundUp } from './plot.js'

export type Column = {
  readonly name: string
  /** What stands below the column; default: the name. */
  readonly short?: string
  readonly parts: readonly { readonly tone: string; readonly value: number }[]
}

const HEIGHT = 180
const BOTTOM = 22
const TOP = 8
/** On a narrow screen the plot has fewer units, so that its letters stay as large. */
const isNarrow = matchMedia('(max-width: 720px)')
const widthNow = (): number => (isNarrow.matches ? 370 : 640)
/** The width that the name of a column needs. */
const NAME_ROOM = 74
/** The width of a digit or letter on the axis. */
const CHARACTER = 9.5

const totalOf = ({ parts }: Column): number => parts.reduce((sum, { value }) => sum + value, 0)

export function Columns({
  title,
  columns,
  axis,
  legend,
}: {
  readonly title: string
  readonly columns: readonly Column[]
  /** What the columns are, for the table. */
  readonly axis: string
  readonly legend?: readonly { readonly tone: string; readonly name: string }[]
}) {
  const top = roundUp(Math.max(1, ...columns.map(totalOf)))
  const high = HEIGHT - BOTTOM - TOP
  const width = widthNow()
  const left = 12 + CHARACTER * Math.max(...[top, top / 2].map((one) => shortCount(one).length))
  const wide = (width - left) / Math.max(1, columns.length)
  const every = Math.ceil(columns.length / Math.floor(width / NAME_ROOM))
  const toY = (value: number): number => TOP + high * (1 - value / top)
  return (
    <Plot title={title} columns={columns} axis={axis} legend={legend ?? []}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} class="columns" aria-hidden="true">
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line class="grid" x1={left} x2={width} y1={toY(value)} y2={toY(value)} />
            <text x={left - 8} y={toY(value) + 4} text-anchor="end">
              {Number.isInteger(value) ? shortCount(value) : ''}
            </text>
          </g>
        ))}
        {columns.map((column, i) => (
          <ColumnShape
            key={column.name}
            column={column}
            x={left + i * wide}
            wide={wide}
            most={width}
            toHeight={(value) => (high * value) / top}
            isNamed={(columns.length - 1 - i) % every === 0}
          />
        ))}
      </svg>
    </Plot>
  )
}

function ColumnShape({
  column,
  x,
  wide,
  most,
  toHeight,
  isNamed,
}: {
  readonly column: Column
  readonly x: number
  readonly wide: number
  /** The right end of the plot. */
  readonly most: number
  readonly toHeight: (value: number) => number
  readonly isNamed: boolean
}) {
  const gap = Math.min(6, wide * 0.2)
  const label = column.short ?? column.name
  let y = HEIGHT - BOTTOM
  return (
    <g>
      <title>{`${column.name}: ${count(totalOf(column))}`}</title>
      <rect class="hover" x={x} y={TOP} width={wide} height={HEIGHT - BOTTOM - TOP} />
      {column.parts.map(({ tone, value }) => {
        const height = toHeight(value)
        y -= height
        return (
          <rect
            key={tone}
            class={`fill-${tone}`}
            x={x + gap / 2}
            y={y}
            width={Math.max(1, wide - gap)}
            height={height}
          />
        )
      })}
      {isNamed && (
        <text
          x={Math.min(x + wide / 2, most - (CHARACTER * label.length) / 2)}
          y={HEIGHT - 6}
          text-anchor="middle"
        >
          {label}
        </text>
      )}
    </g>
  )
}

/** A picture with its name, and the same numbers as a table for those who do not see it. */
function Plot({
  title,
  columns,
  axis,
  legend,
  children,
}: {
  readonly title: string
  readonly columns: readonly Column[]
  readonly axis: string
  readonly legend: readonly { readonly tone: string; readonly name: string }[]
  readonly children: ComponentChildren
}) {
  return (
    <figure class="plot card">
      <figcaption>
        <h2>{title}</h2>
        {legend.length > 0 && (
          <ul class="legend" aria-hidden="true">
            {legend.map(({ tone, name }) => (
              <li key={tone}>
                <i class={`swatch tone-${tone}`} />
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      {children}
      <details class="plot-table">
        <summary>Show as a table</summary>
        <table>
          <caption class="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{axis}</th>
              {legend.map(({ tone, name }) => (
                <th key={tone} scope="col">
                  {name}
                </th>
              ))}
              <th scope="col">Total</th>
            </tr>
          </thead>
          <tbody>
            {columns
              .filter((column) => totalOf(column) > 0)
              .map((column) => (
                <tr key={column.name}>
                  <th scope="row">{column.name}</th>
                  {legend.map(({ tone }) => (
                    <td key={tone}>
                      {count(column.parts.find((part) => part.tone === tone)?.value ?? 0)}
                    </td>
                  ))}
                  <td>{count(totalOf(column))}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
