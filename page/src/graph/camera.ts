/** Converts between screen and graph coordinates; zooms and fits. */

export type Camera = { readonly scale: number; readonly x: number; readonly y: number }
export type Point = { readonly x: number; readonly y: number }
export type Size = { readonly width: number; readonly height: number }

const LEAST = 0.1
const MOST = 6

export const toScreen = ({ scale, x, y }: Camera, point: Point): Point => ({
  x: point.x * scale + x,
  y: point.y * scale + y,
})

export const toGraph = ({ scale, x, y }: Camera, point: Point): Point => ({
  x: (point.x - x) / scale,
  y: (point.y - y) / scale,
})

export const moveBy = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x + dx,
  y: camera.y + dy,
})

/** The place under the pointer stays under it. */
export function zoomAt(camera: Camera, at: Point, factor: number): Camera {
  const scale = Math.min(MOST, Math.max(LEAST, camera.scale * factor))
  const fixed = toGraph(camera, at)
  return { scale, x: at.x - fixed.x * scale, y: at.y - fixed.y * scale }
}

/** Everything in sight, with room around it. */
export function fitAll(xs: Float64Array, ys: Float64Array, { width, height }: Size): Camera {
  if (xs.length === 0) return { scale: 1, x: width / 2, y: height / 2 }
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [i, x] of xs.entries()) {
    const y = ys[i] ?? 0
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  const margin = 48
  const across = (width - 2 * margin) / Math.max(1, right - left)
  const down = (height - 2 * margin) / Math.max(1, bottom - top)
  const scale = Math.min(1.6, Math.max(LEAST, Math.min(across, down)))
  return {
    scale,
    x: width / 2 - ((left + right) / 2) * scale,
    y: height / 2 - ((top + bottom) / 2) * scale,
  }
}
