import type { Map as MapLibre, MapMouseEvent } from 'maplibre-gl';
import { devices, fleetChanges, trails } from '../../api/live/fleet.ts';
import { type FleetDevice, glided, stateOf } from '../../api/live/fleet-device.ts';
import { latOf, lngOf, mercatorX, mercatorY } from '../../geo/mercator.ts';
import { preferences } from '../../preferences.ts';
import { colorsOf, type Theme } from '../colors.ts';
import type { MapPart } from '../map-part.ts';
import { type Group, groupsOf } from './clusters.ts';
import { DeviceSprites, type Sprite } from './device-sprites.ts';
import { FramePace } from './frame-pace.ts';
import { MOST_TRAILS_DRAWN, strokeTrail, type TrailEnd } from './trail-strokes.ts';

export interface DeviceLayerOptions {
  /** The selected device; it is always drawn separately. */
  chosen(): number | undefined;
  /** Whether the map stays centred on the selected device. */
  isFollowing(): boolean;
  /** Called with the pressed device, or with undefined for the map. */
  onChoose(id: number | undefined): void;
  /** Filters devices; by default all are shown. */
  shows?(device: FleetDevice): boolean;
}

const REGROUP_MS = 250;
/** Devices become offline with time, and the user may change the filter. */
const IDLE_MS = 1000;
const LABELS_FROM_ZOOM = 12.5;
const MOST_LABELS = 80;
const HIT_PX = 18;
const EDGE_PX = 40;

/** West, north, east, south, in Mercator. */
type Box = readonly [number, number, number, number];
const NOWHERE: Box = [0, 0, 0, 0];
const EVERYWHERE: Box = [-9, -9, 9, 9];

interface Drawn {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly group: Group;
}

/**
 * The fleet, on a separate canvas above the map, so that the map is not redrawn when a device moves. Groups are
 * computed a few times a second; each frame draws the few hundred visible items with animation, and no frame is drawn
 * while nothing moves.
 */
export function deviceLayer(options: DeviceLayerOptions): MapPart {
  return (map, theme) => {
    const layer = new DeviceCanvas(map, theme, options);
    return () => layer.remove();
  };
}

class DeviceCanvas {
  readonly #map: MapLibre;
  readonly #options: DeviceLayerOptions;
  readonly #canvas = document.createElement('canvas');
  readonly #context: CanvasRenderingContext2D;
  readonly #theme: Theme;
  #sprites: DeviceSprites;
  #ratio = 1;
  #groups: Group[] = [];
  #groupedAt = Number.NEGATIVE_INFINITY;
  #groupedLevel = Number.NaN;
  #groupedBox: Box = NOWHERE;
  #groupedChanges = -1;
  #groupedChosen: number | undefined;
  #drawn: Drawn[] = [];
  #frame: number | undefined;
  #idle: ReturnType<typeof setInterval>;
  #seenChanges = -1;
  readonly #pace = new FramePace();
  readonly #unsubscribe: () => void;

  constructor(map: MapLibre, theme: Theme, options: DeviceLayerOptions) {
    this.#map = map;
    this.#theme = theme;
    this.#options = options;
    this.#canvas.style.cssText = 'position:absolute;inset:0;pointer-events:none;width:100%;height:100%';
    this.#canvas.setAttribute('aria-hidden', 'true');
    this.#context = this.#canvas.getContext('2d')!;
    this.#sprites = new DeviceSprites(theme, devicePixelRatio);
    map.getCanvasContainer().append(this.#canvas);
    map.on('render', this.#draw);
    map.on('resize', this.#fit);
    map.on('click', this.#press);
    map.on('mousemove', this.#hover);
    this.#fit();
    // Devices may have changed or become offline while no frame was needed.
    this.#idle = setInterval(this.#look, REGROUP_MS);
    this.#unsubscribe = preferences.subscribe(() => this.#wish());
  }

  remove(): void {
    clearInterval(this.#idle);
    this.#unsubscribe();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#map.off('render', this.#draw);
    this.#map.off('resize', this.#fit);
    this.#map.off('click', this.#press);
    this.#map.off('mousemove', this.#hover);
    this.#canvas.remove();
  }

  readonly #fit = () => {
    const { clientWidth, clientHeight } = this.#map.getContainer();
    if (devicePixelRatio !== this.#ratio) this.#sprites = new DeviceSprites(this.#theme, devicePixelRatio);
    this.#ratio = devicePixelRatio;
    this.#canvas.width = Math.round(clientWidth * this.#ratio);
    this.#canvas.height = Math.round(clientHeight * this.#ratio);
    this.#wish();
  };

  readonly #look = () => {
    const chosen = this.#options.chosen();
    if (
      fleetChanges !== this.#seenChanges ||
      chosen !== this.#groupedChosen ||
      performance.now() - this.#groupedAt > IDLE_MS
    )
      this.#wish();
  };

  #wish(): void {
    this.#frame ??= requestAnimationFrame((at) => {
      this.#frame = undefined;
      if (this.#pace.isTurn(at)) this.#draw();
      else this.#wish();
    });
  }

  /** The visible area, and the larger area that is grouped, so that it is ready when the map is dragged. */
  #boxAt(zoom: number): { view: Box; around: Box } {
    const { lng, lat } = this.#map.getCenter();
    const [x, y] = [mercatorX(lng), mercatorY(lat)];
    const size = 512 * 2 ** zoom;
    const [width, height] = [this.#canvas.width / this.#ratio / size, this.#canvas.height / this.#ratio / size];
    const boxOf = (part: number): Box => [x - width * part, y - height * part, x + width * part, y + height * part];
    const around = boxOf(1.6);
    // At low zoom nearly everything is visible, and at the antimeridian the other side is too.
    return width > 0.1 || around[0] < 0 || around[2] > 1
      ? { view: EVERYWHERE, around: EVERYWHERE }
      : { view: boxOf(0.8), around };
  }

  *#shownIn([west, north, east, south]: Box, chosen: number | undefined): Generator<FleetDevice> {
    const { shows } = this.#options;
    for (const device of devices.values()) {
      if (device.x < west || device.x > east || device.y < north || device.y > south) continue;
      if (!shows || device.id === chosen || shows(device)) yield device;
    }
  }

  #regroup(clock: number, zoom: number): void {
    const chosen = this.#options.chosen();
    const level = Math.floor(zoom);
    const box = this.#boxAt(zoom);
    const isSame =
      level === this.#groupedLevel && chosen === this.#groupedChosen && isWithin(box.view, this.#groupedBox);
    if (isSame && clock - this.#groupedAt < REGROUP_MS) return;
    if (isSame && fleetChanges === this.#groupedChanges && clock - this.#groupedAt < IDLE_MS) return;
    const now = Date.now();
    const { offlineAfterMin } = preferences.get();
    this.#groups = groupsOf(
      this.#shownIn(box.around, chosen),
      zoom,
      (device) => stateOf(device, now, offlineAfterMin),
      ({ id }) => id === chosen,
    );
    this.#groupedAt = clock;
    this.#groupedLevel = level;
    this.#groupedBox = box.around;
    this.#groupedChanges = fleetChanges;
    this.#groupedChosen = chosen;
  }

  readonly #draw = () => {
    const clock = performance.now();
    this.#seenChanges = fleetChanges;
    const chosen = this.#options.chosen();
    this.#keepInMiddle(chosen, clock);
    const zoom = this.#map.getZoom();
    this.#regroup(clock, zoom);
    const center = this.#map.getCenter();
    const [width, height] = [this.#canvas.width / this.#ratio, this.#canvas.height / this.#ratio];
    const size = 512 * 2 ** zoom;
    const [middleX, middleY] = [mercatorX(center.lng), mercatorY(center.lat)];
    // Not always the centre of the canvas: a panel may cover a part of the map.
    const origin = this.#map.project(center);
    const context = this.#context;
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.#drawn = [];
    let isGliding = false;
    let last: [Group, number, number] | undefined;
    const seen: [Group, number, number][] = [];
    for (const group of this.#groups) {
      let [x, y] = [group.x, group.y];
      const { device } = group;
      if (device) {
        const part = glided(device, clock);
        x = device.fromX + (device.x - device.fromX) * part;
        y = device.fromY + (device.y - device.fromY) * part;
      }
      const screenX = origin.x + wrapped(x - middleX) * size;
      const screenY = origin.y + (y - middleY) * size;
      if (screenX < -EDGE_PX || screenY < -EDGE_PX || screenX > width + EDGE_PX || screenY > height + EDGE_PX) continue;
      if (device && glided(device, clock) < 1) isGliding = true;
      seen.push([group, screenX, screenY]);
    }
    this.#drawTrails(seen, (x, y) => [origin.x + wrapped(x - middleX) * size, origin.y + (y - middleY) * size]);
    for (const one of seen) {
      // The selected device is drawn last.
      if (one[0].device && one[0].device.id === chosen) last = one;
      else this.#drawGroup(...one, false);
    }
    if (last) this.#drawGroup(...last, true);
    if (zoom >= LABELS_FROM_ZOOM) this.#drawLabels();
    if (isGliding) this.#wish();
  };

  /** The trails of moving devices that are drawn separately, below all devices. */
  #drawTrails(
    seen: readonly (readonly [Group, number, number])[],
    onScreen: (x: number, y: number) => readonly [number, number],
  ): void {
    if (!(preferences.get().showsTrails ?? true)) return;
    const ends: TrailEnd[] = [];
    for (const [{ device, moving }, x, y] of seen) if (device && moving) ends.push({ device, x, y });
    if (ends.length > MOST_TRAILS_DRAWN) return;
    const byDefault = colorsOf(this.#theme).moving;
    for (const end of ends)
      strokeTrail(this.#context, trails.of(end.device.id), end, end.device.color ?? byDefault, onScreen);
    trails.want(
      ends.map(({ device }) => device.id),
      () => this.#wish(),
    );
  }

  #drawGroup(group: Group, x: number, y: number, isChosen: boolean): void {
    const context = this.#context;
    const { device } = group;
    if (device === undefined) {
      const sprite = this.#sprites.group(group);
      copy(context, sprite, Math.round(x - sprite.width / 2), Math.round(y - sprite.height / 2));
      this.#drawn.push({ x, y, radius: sprite.width / 2, group });
      return;
    }
    const state = group.moving ? 'moving' : group.stopped ? 'stopped' : 'offline';
    const isTurned = state === 'moving' && device.course !== null;
    const picture = device.icon && this.#sprites.picture(device.icon, state, device.color, isChosen);
    const sprite =
      picture === undefined
        ? this.#sprites.device(state, device.color, device.course !== null, isChosen)
        : isTurned
          ? this.#sprites.pointer()
          : undefined;
    if (sprite && isTurned) {
      context.save();
      context.translate(x, y);
      context.rotate((device.course! * Math.PI) / 180);
      copy(context, sprite, -sprite.width / 2, -sprite.height / 2);
      context.restore();
    } else if (sprite) copy(context, sprite, x - sprite.width / 2, y - sprite.height / 2);
    if (picture) copy(context, picture, x - picture.width / 2, y - picture.height / 2);
    this.#drawn.push({ x, y, radius: HIT_PX, group });
  }

  #drawLabels(): void {
    const singles = this.#drawn.filter(({ group }) => group.device);
    if (singles.length > MOST_LABELS) return;
    for (const { x, y, group } of singles) {
      const sprite = this.#sprites.label(group.device!.name);
      copy(this.#context, sprite, Math.round(x - sprite.width / 2), Math.round(y + 13));
    }
  }

  /** The map moves with a device only if it is followed. */
  #keepInMiddle(chosen: number | undefined, clock: number): void {
    if (chosen === undefined || !this.#options.isFollowing() || this.#map.isZooming()) return;
    const device = devices.get(chosen);
    if (device?.lat === undefined) return;
    const part = glided(device, clock);
    const lng = lngOf(device.fromX + (device.x - device.fromX) * part);
    const lat = latOf(device.fromY + (device.y - device.fromY) * part);
    const center = this.#map.getCenter();
    const isAway = Math.abs(center.lng - lng) + Math.abs(center.lat - lat) > 1e-7;
    if (isAway && !this.#map.isMoving()) this.#map.jumpTo({ center: [lng, lat] });
  }

  #at({ x, y }: { x: number; y: number }): Drawn | undefined {
    let [best, nearest] = [Number.POSITIVE_INFINITY, undefined as Drawn | undefined];
    for (const one of this.#drawn) {
      const away = Math.hypot(one.x - x, one.y - y);
      if (away <= one.radius && away < best) [best, nearest] = [away, one];
    }
    return nearest;
  }

  readonly #press = ({ point, originalEvent }: MapMouseEvent) => {
    if (originalEvent.defaultPrevented) return;
    const hit = this.#at(point);
    if (hit?.group.device) this.#options.onChoose(hit.group.device.id);
    else if (hit) this.#open(hit.group);
    else this.#options.onChoose(undefined);
  };

  /** Zooms in on a group until its members are separate. */
  #open({ west, east, north, south }: Group): void {
    this.#map.fitBounds(
      [
        [lngOf(west), latOf(south)],
        [lngOf(east), latOf(north)],
      ],
      { padding: 90, maxZoom: Math.max(16.5, this.#map.getZoom() + 1.5), duration: 600 },
    );
  }

  readonly #hover = ({ point }: MapMouseEvent) => {
    this.#map.getCanvas().style.cursor = this.#at(point) ? 'pointer' : '';
  };
}

function copy(context: CanvasRenderingContext2D, { image, width, height }: Sprite, x: number, y: number): void {
  context.drawImage(image, x, y, width, height);
}

/** The shorter way around the world. */
const wrapped = (x: number) => (x > 0.5 ? x - 1 : x < -0.5 ? x + 1 : x);

const isWithin = (inner: Box, outer: Box) =>
  inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3];
