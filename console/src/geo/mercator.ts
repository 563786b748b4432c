/** Web Mercator: the whole world from 0 to 1 on both axes, x to the east, y to the south. */
export const mercatorX = (lng: number) => (lng + 180) / 360;
export function mercatorY(lat: number): number {
  const bounded = Math.max(-85.051129, Math.min(85.051129, lat));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
export const lngOf = (x: number) => x * 360 - 180;
export const latOf = (y: number) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
