import { colorsOf, type Theme } from '../colors.ts';

/** The marks of a track, drawn by the browser: the map needs no fonts or files for them. */

/** Drawn at this scale, to be sharp on any screen. */
export const PICTURE_RATIO = 3;

const canvasOf = (size: number) => {
  const canvas = document.createElement('canvas');
  canvas.width = size * PICTURE_RATIO;
  canvas.height = size * PICTURE_RATIO;
  const pen = canvas.getContext('2d')!;
  pen.scale(PICTURE_RATIO, PICTURE_RATIO);
  return { pen, picture: () => pen.getImageData(0, 0, canvas.width, canvas.height) };
};

/** A stop with its number. */
export function drawStop(number: number, isChosen: boolean, theme: Theme): ImageData {
  const size = isChosen ? 34 : 26;
  const colors = colorsOf(theme);
  const { pen, picture } = canvasOf(size);
  const center = size / 2;
  pen.beginPath();
  pen.arc(center, center, center - 2, 0, Math.PI * 2);
  pen.fillStyle = isChosen ? colors.stopped : colors.surface;
  pen.fill();
  pen.lineWidth = isChosen ? 3 : 2.5;
  pen.strokeStyle = isChosen ? colors.surface : colors.stopped;
  pen.stroke();
  pen.fillStyle = isChosen ? colors.surface : colors.stopped;
  pen.font = `600 ${isChosen ? 14 : 11.5}px system-ui, sans-serif`;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillText(String(number), center, center + 0.5);
  return picture();
}

/** The meaning of a mark's colour, on all maps. */
export type MarkState = 'moving' | 'stopped' | 'offline';
export const MARK_STATES: readonly MarkState[] = ['moving', 'stopped', 'offline'];

/** The current position: an arrow for the heading, or a dot if that is unknown. */
export function drawArrow(hasHeading: boolean, theme: Theme, state: MarkState = 'moving'): ImageData {
  const size = 40;
  const colors = colorsOf(theme);
  const { pen, picture } = canvasOf(size);
  const center = size / 2;
  pen.shadowColor = colors.shadow;
  pen.shadowBlur = 6 * PICTURE_RATIO;
  pen.beginPath();
  pen.arc(center, center, 12, 0, Math.PI * 2);
  pen.fillStyle = colors.surface;
  pen.fill();
  pen.shadowBlur = 0;
  pen.fillStyle = colors[state];
  pen.beginPath();
  if (hasHeading) {
    pen.moveTo(center, center - 8.5);
    pen.lineTo(center + 6.5, center + 6.5);
    pen.lineTo(center, center + 3);
    pen.lineTo(center - 6.5, center + 6.5);
    pen.closePath();
  } else pen.arc(center, center, 6.5, 0, Math.PI * 2);
  pen.fill();
  return picture();
}
