import type { DeviceIcon } from '@trackway/contract/device-icons.ts';
import type { FleetState } from '../../api/live/fleet-device.ts';
import { ICONS } from '../../ui/icons.ts';
import { colorsOf, type Theme } from '../colors.ts';
import type { Group } from './clusters.ts';

/** Images of devices and groups, each drawn once and then copied. */

export interface Sprite {
  readonly image: HTMLCanvasElement;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
}

const MOST = 1500;

export class DeviceSprites {
  readonly #theme: Theme;
  readonly #ratio: number;
  readonly #made = new Map<string, Sprite>();

  constructor(theme: Theme, ratio: number) {
    this.#theme = theme;
    this.#ratio = ratio;
  }

  #sprite(key: string, width: number, height: number, draw: (canvas: CanvasRenderingContext2D) => void): Sprite {
    const known = this.#made.get(key);
    if (known) return known;
    if (this.#made.size > MOST) this.#made.clear();
    const image = document.createElement('canvas');
    image.width = Math.ceil(width * this.#ratio);
    image.height = Math.ceil(height * this.#ratio);
    const canvas = image.getContext('2d')!;
    canvas.scale(this.#ratio, this.#ratio);
    draw(canvas);
    const sprite = { image, width, height };
    this.#made.set(key, sprite);
    return sprite;
  }

  /** From the centre: the halo of a selected device, then the colour and shadow of the shape. */
  #begin(canvas: CanvasRenderingContext2D, state: FleetState, isChosen: boolean) {
    const colors = colorsOf(this.#theme);
    canvas.translate(22, 22);
    if (isChosen) {
      canvas.fillStyle = colors[state];
      canvas.globalAlpha = 0.22;
      disc(canvas, 20);
      canvas.globalAlpha = 1;
    }
    canvas.shadowColor = colors.shadow;
    canvas.shadowBlur = 4;
    canvas.shadowOffsetY = this.#ratio;
    canvas.fillStyle = colors.surface;
    return colors;
  }

  /** Moving: a disc with a pointer for the course, north up. Stopped: a disc. Offline: a ring with a gap. */
  device(state: FleetState, color: string | null, hasCourse: boolean, isChosen: boolean): Sprite {
    const key = `${state} ${color} ${hasCourse} ${isChosen}`;
    return this.#sprite(key, 44, 44, (canvas) => {
      const colors = this.#begin(canvas, state, isChosen);
      if (state === 'moving' && hasCourse) {
        arrow(canvas, 13.5);
        bare(canvas);
        canvas.fillStyle = colors.moving;
        arrow(canvas, 10.8);
      } else {
        disc(canvas, state === 'offline' ? 7.5 : 9);
        bare(canvas);
        canvas.fillStyle = canvas.strokeStyle = colors[state];
        if (state === 'offline') {
          canvas.lineWidth = 2.4;
          ring(canvas, 5.2);
        } else disc(canvas, 6.8);
      }
      if (state !== 'offline' || color) {
        canvas.fillStyle = color ?? colors.surface;
        if (color) {
          canvas.strokeStyle = colors.surface;
          canvas.lineWidth = 1.2;
        }
        disc(canvas, color ? 3.6 : state === 'moving' && hasCourse ? 2.6 : 2.4);
        if (color) ring(canvas, 3.6);
      }
    });
  }

  /** The course around an icon: a pointer to the north that is rotated. */
  pointer(): Sprite {
    return this.#sprite('pointer', 44, 44, (canvas) => {
      const colors = colorsOf(this.#theme);
      canvas.translate(22, 22);
      canvas.fillStyle = colors.surface;
      arrow(canvas, 16);
      canvas.fillStyle = colors.moving;
      arrow(canvas, 14.2);
    });
  }

  /** The icon of a device in a ring that shows its state: solid while online, dashed when offline. */
  picture(icon: DeviceIcon, state: FleetState, color: string | null, isChosen: boolean): Sprite {
    return this.#sprite(`picture ${icon} ${state} ${color} ${isChosen}`, 44, 44, (canvas) => {
      const colors = this.#begin(canvas, state, isChosen);
      disc(canvas, 13);
      bare(canvas);
      canvas.strokeStyle = colors[state];
      canvas.lineWidth = 2.4;
      if (state === 'offline') canvas.setLineDash([3.5, 3]);
      ring(canvas, 11.6);
      canvas.setLineDash([]);
      canvas.save();
      canvas.scale(0.62, 0.62);
      canvas.translate(-12, -12);
      canvas.strokeStyle = state === 'offline' ? colors.offline : colors.ink;
      canvas.lineWidth = 2.2;
      canvas.lineCap = canvas.lineJoin = 'round';
      canvas.stroke(new Path2D(ICONS[icon]));
      canvas.restore();
      if (color) {
        canvas.translate(9, 9);
        canvas.fillStyle = color;
        canvas.strokeStyle = colors.surface;
        canvas.lineWidth = 1.6;
        disc(canvas, 4);
        ring(canvas, 4);
      }
    });
  }

  /** A count in a ring divided into moving, stopped and offline. */
  group({ count, moving, stopped }: Group): Sprite {
    const [movingPart, stoppedPart] = [Math.round((moving / count) * 24), Math.round((stopped / count) * 24)];
    const text =
      count < 1000 ? String(count) : count < 10_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
    const radius = 14 + Math.min(12, Math.log10(count) * 4.5);
    const size = 2 * Math.ceil(radius + 6);
    return this.#sprite(`group ${text} ${movingPart} ${stoppedPart}`, size, size, (canvas) => {
      const colors = colorsOf(this.#theme);
      canvas.translate(size / 2, size / 2);
      canvas.shadowColor = colors.shadow;
      canvas.shadowBlur = 6;
      canvas.shadowOffsetY = this.#ratio;
      canvas.fillStyle = colors.surface;
      disc(canvas, radius + 2);
      bare(canvas);
      canvas.lineWidth = 3.6;
      let from = 0;
      for (const [state, part] of [
        ['moving', movingPart],
        ['stopped', stoppedPart],
        ['offline', 24 - movingPart - stoppedPart],
      ] as const) {
        if (part <= 0) continue;
        canvas.strokeStyle = colors[state];
        canvas.beginPath();
        canvas.arc(0, 0, radius - 1, ((from / 24) * 2 - 0.5) * Math.PI, (((from + part) / 24) * 2 - 0.5) * Math.PI);
        canvas.stroke();
        from += part;
      }
      canvas.fillStyle = colors.ink;
      canvas.font = `600 ${text.length > 3 ? 11 : 12.5}px system-ui, sans-serif`;
      canvas.textAlign = 'center';
      canvas.textBaseline = 'middle';
      canvas.fillText(text, 0, 0.5);
    });
  }

  label(text: string): Sprite {
    const short = text.length > 28 ? `${text.slice(0, 27)}…` : text;
    const font = '550 12px system-ui, sans-serif';
    const width = Math.ceil(measure(short, font)) + 8;
    return this.#sprite(`label ${short}`, width, 20, (canvas) => {
      const colors = colorsOf(this.#theme);
      canvas.font = font;
      canvas.textBaseline = 'middle';
      canvas.lineJoin = 'round';
      canvas.lineWidth = 3.5;
      canvas.strokeStyle = colors.land;
      canvas.strokeText(short, 4, 10);
      canvas.fillStyle = colors.ink;
      canvas.fillText(short, 4, 10);
    });
  }
}

let measuring: CanvasRenderingContext2D | undefined;
function measure(text: string, font: string): number {
  measuring ??= document.createElement('canvas').getContext('2d')!;
  measuring.font = font;
  return measuring.measureText(text).width;
}

function bare(canvas: CanvasRenderingContext2D): void {
  canvas.shadowColor = 'transparent';
}

function disc(canvas: CanvasRenderingContext2D, radius: number): void {
  canvas.beginPath();
  canvas.arc(0, 0, radius, 0, 2 * Math.PI);
  canvas.fill();
}

function ring(canvas: CanvasRenderingContext2D, radius: number): void {
  canvas.beginPath();
  canvas.arc(0, 0, radius, 0, 2 * Math.PI);
  canvas.stroke();
}

/** A drop that points north. */
function arrow(canvas: CanvasRenderingContext2D, radius: number): void {
  const round = radius * 0.68;
  canvas.beginPath();
  canvas.moveTo(0, -radius * 1.32);
  canvas.quadraticCurveTo(radius * 0.34, -radius * 0.78, round * 0.93, -round * 0.36);
  canvas.arc(0, 0, round, -0.37, Math.PI + 0.37);
  canvas.quadraticCurveTo(-radius * 0.34, -radius * 0.78, 0, -radius * 1.32);
  canvas.closePath();
  canvas.fill();
}
