import { useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { useRead } from '../../api/calls.ts';
import { colorOf, useGeofences } from '../../api/geofences.ts';
import type { LatLng } from '../../geo/place.ts';
import { fenceDrawing } from '../../map/draw/draw.ts';
import { createBoard, USUAL_WIDTH_M } from '../../map/draw/draw-board.ts';
import { type MapHandle, showBox } from '../../map/draw/draw-camera.ts';
import { type Dot, deviceDots } from '../../map/draw/draw-dots.ts';
import { type DrawnFences, drawnFences } from '../../map/draw/draw-fences.ts';
import { type Box, boxOf, corridorOf, shapeOf } from '../../map/draw/draw-shape.ts';
import { MapView } from '../../map/map-view.tsx';
import { PlaceSearch } from '../../map/search/place-search.tsx';
import { createStore } from '../../store.ts';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { useTitle } from '../../ui/page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { FenceDetail } from './fence-detail.tsx';
import { FenceList } from './fence-list.tsx';
import { PLAIN_COLOR } from './geofence-colors.tsx';
import { GeofenceForm } from './geofence-form.tsx';
import css from './geofences.module.css';
import { geoJsonOf } from './geojson.ts';
import { nameOf, narrowed } from './groups.ts';
import { ImportDialog } from './import-dialog.tsx';

const words = t.geofences;
const WHERE_EVERY_MS = 15_000;

/** Fences next to their map: the list, one fence, or one being drawn. */
export default function GeofencesPage({ params }: { params: { id?: string; action?: string } }) {
  useTitle(words.title);
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const [map, setMap] = useState<MapHandle>();
  const [isImporting, setImporting] = useState(false);
  const query = useGeofences({ order: 'name ASC' });
  const where = useRead('listWhereabouts', { id: 'me' }, { refetchInterval: WHERE_EVERY_MS });
  const all = query.data ?? NONE;
  const [text, group] = [search.get('q'), search.get('group')];
  const shown = useMemo(() => narrowed(all, text, group), [all, text, group]);

  const isNew = params.id === 'new';
  const id = params.id === undefined || isNew ? undefined : Number(params.id);
  const fence = all.find((one) => one.id === id);
  const isEditing = isNew || params.action === 'edit';

  const drawn = useMemo(() => createStore<DrawnFences>({ fences: [], selected: undefined }), []);
  const dots = useMemo(() => createStore<readonly Dot[]>([]), []);
  useEffect(() => {
    const visible = isEditing ? all.filter((one) => one.id !== id) : id === undefined ? shown : all;
    const fences = visible.flatMap((one) => {
      const shape = shapeOf(one);
      return shape ? [{ id: one.id, name: nameOf(one), color: colorOf(one), shape }] : [];
    });
    drawn.set({ fences, selected: isEditing ? undefined : id });
  }, [drawn, all, shown, id, isEditing]);
  useEffect(() => {
    dots.set(
      (where.data ?? []).flatMap(({ location, color }) =>
        location ? [{ place: location, color: color ?? undefined }] : [],
      ),
    );
  }, [dots, where.data]);
  const wanted = search.get('shape');
  const wantedShape = wanted === 'polygon' || wanted === 'corridor' ? wanted : 'circle';
  const isReady = isEditing && (isNew || fence !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: What is drawn stays when the fence is read anew meanwhile.
  const board = useMemo(() => {
    if (!isReady) return undefined;
    const route = isNew ? routeFromTrip() : undefined;
    const shape = route ? corridorOf(route, USUAL_WIDTH_M) : fence && shapeOf(fence);
    return createBoard(shape ? 'edit' : wantedShape, shape, (fence && colorOf(fence)) ?? PLAIN_COLOR);
  }, [isReady, params.id]);
  const parts = useMemo(
    () => [
      drawnFences(drawn, {
        nameClass: css.mapName!,
        ...(!board && { onPick: (one: number) => navigate(`/geofences/${one}`) }),
      }),
      deviceDots(dots),
      ...(board ? [fenceDrawing(board)] : []),
    ],
    [drawn, dots, board, navigate],
  );

  // At first everything, or the requested fence, is in view; later the opened one.
  const [hasLooked, setLooked] = useState(false);
  useEffect(() => {
    if (!map || !query.data || (query.data.length === 0 && !where.data)) return;
    const drawnShape = isNew ? board?.get().shape : undefined;
    const target = fence ? [fence] : hasLooked ? [] : query.data;
    const box: Box | undefined =
      boxOf(drawnShape ? [drawnShape] : target.flatMap((one) => shapeOf(one) ?? [])) ??
      (hasLooked ? undefined : boxOfDots(dots.get()));
    if (box) showBox(map, box, { glides: hasLooked });
    setLooked(true);
  }, [map, query.data, where.data, fence, hasLooked, dots, isNew, board]);

  const exportShown = () => {
    const fences = shown.flatMap((one) => {
      const shape = shapeOf(one);
      return shape ? [{ fence: one, shape }] : [];
    });
    saveFile('geofences.geojson', 'application/geo+json', JSON.stringify(geoJsonOf(fences), undefined, 2));
  };

  return (
    <>
      <div className={classes(css.split, isEditing && css.editing)}>
        <section className={css.side} aria-label={words.title}>
          <Loaded query={query} lines={8}>
            {(fences) =>
              board ? (
                <div className={css.panel}>
                  <header className={css.head}>
                    <Link href={fence ? `/geofences/${fence.id}` : '/geofences'} className={css.back}>
                      <Icon name="left" size={16} />
                      {fence ? nameOf(fence) : words.back}
                    </Link>
                    <h1>{fence ? words.form.editTitle : words.form.newTitle}</h1>
                  </header>
                  <GeofenceForm
                    key={params.id}
                    {...(fence && { fence })}
                    board={board}
                    map={map}
                    onCancel={() => navigate(fence ? `/geofences/${fence.id}` : '/geofences')}
                    onDone={(saved, isReshaped) => {
                      const news = fence ? words.form.saved : words.form.created({ name: nameOf(saved) });
                      toast({ text: isReshaped ? `${news}. ${words.form.redrawn}` : news, tone: 'good' });
                      navigate(`/geofences/${saved.id}`);
                    }}
                  />
                </div>
              ) : id === undefined ? (
                <FenceList fences={fences} shown={shown} onImport={() => setImporting(true)} onExport={exportShown} />
              ) : fence ? (
                <FenceDetail key={fence.id} fence={fence} />
              ) : (
                <EmptyState
                  icon="fence"
                  title={words.gone}
                  action={<ButtonLink href="/geofences">{words.back}</ButtonLink>}
                />
              )
            }
          </Loaded>
        </section>
        <div className={css.main}>
          <MapView label={words.mapLabel} parts={parts} onMap={setMap}>
            {map && <PlaceSearch map={map} />}
          </MapView>
        </div>
      </div>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </>
  );
}

const NONE: readonly never[] = [];

/** The route of a trip that the viewer came from. */
function routeFromTrip(): readonly LatLng[] | undefined {
  const { route } = (history.state ?? {}) as { route?: readonly LatLng[] };
  return Array.isArray(route) && route.length > 1 ? route : undefined;
}

function boxOfDots(dots: readonly Dot[]): Box | undefined {
  const shapes = dots.map(({ place }) => ({ kind: 'circle' as const, center: place, radius: 500 }));
  return boxOf(shapes);
}
