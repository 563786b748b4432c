import { useMemo, useState } from 'react';
import { call, readAnew } from '../../api/calls.ts';
import { useFormat } from '../../format/use-format.ts';
import { type DrawnFences, drawnFences } from '../../map/draw/draw-fences.ts';
import { boxOf, fieldsOf } from '../../map/draw/draw-shape.ts';
import { MapView } from '../../map/map-view.tsx';
import { createStore } from '../../store.ts';
import { t } from '../../texts/t.ts';
import { ColorDot, Tag } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, FieldStack, TextArea } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { type NewFence, readGeoJson, type Skipped, type Taken } from './geojson.ts';
import css from './import-dialog.module.css';

const words = t.geofences.import;
const MOST_BYTES = 10_000_000;
const MOST_SHOWN = 50;
/** Maximum number of fences created concurrently. */
const LANES = 4;

/** Reads a file, shows the result, and imports it after confirmation. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [fileProblem, setFileProblem] = useState<string>();
  const [done, setDone] = useState<number>();
  const [refused, setRefused] = useState<readonly Skipped[]>([]);
  const read = useMemo(() => takenFrom(text), [text]);
  const taken = 'taken' in read ? read.taken : undefined;
  const isBusy = done !== undefined;

  const choose = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) return setFileProblem(words.tooLarge);
    setFileProblem(undefined);
    setText(await file.text());
  };
  const make = async () => {
    if (!taken) return;
    const waiting = [...taken.fences];
    const failed: Skipped[] = [];
    let count = 0;
    setDone(0);
    const lane = async () => {
      for (let fence = waiting.shift(); fence; fence = waiting.shift()) {
        try {
          await call('createGeofence')({ id: 'me', body: bodyOf(fence) });
          count += 1;
        } catch (error) {
          failed.push({ what: fence.name ?? t.geofences.unnamed, why: problemOf(error) });
        }
        setDone(count + failed.length);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    await readAnew(['listGeofences', 'countGeofences']);
    setDone(undefined);
    if (count > 0) toast({ text: words.made({ count }), tone: 'good' });
    if (failed.length === 0) return onClose();
    setText('');
    setRefused(failed);
  };

  return (
    <Dialog
      title={words.title}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{refused.length > 0 ? words.close : t.ui.cancel}</Button>
          <Button
            kind="primary"
            isBusy={isBusy}
            disabled={!taken || taken.fences.length === 0}
            onClick={() => void make()}
          >
            {isBusy
              ? words.making({ done, all: taken?.fences.length ?? 0 })
              : words.make({ count: taken?.fences.length ?? 0 })}
          </Button>
        </>
      }
    >
      <FieldStack>
        <p className={css.lead}>{words.lead}</p>
        <Field
          label={words.choose}
          problem={fileProblem}
          control={(tied) => (
            <input
              {...tied}
              type="file"
              className={css.file}
              accept=".geojson,.json,application/geo+json,application/json"
              onChange={(event) => void choose(event.target.files?.[0])}
            />
          )}
        />
        {!taken && (
          <TextArea
            label={words.paste}
            isCode
            rows={5}
            value={text}
            problem={'problem' in read ? read.problem : undefined}
            onChange={setText}
          />
        )}
        {refused.length > 0 && (
          <Notice tone="danger">
            {words.failed({ count: refused.length })}
            <Reasons items={refused} />
          </Notice>
        )}
        {taken && <Preview taken={taken} />}
      </FieldStack>
    </Dialog>
  );
}

function Preview({ taken }: { taken: Taken }) {
  const format = useFormat();
  const { fences, skipped, remarks } = taken;
  const box = boxOf(fences.map(({ shape }) => shape));
  const parts = useMemo(() => {
    const drawn = fences.map((fence, id) => ({
      id: id + 1,
      name: fence.name ?? '',
      color: typeof fence.meta?.color === 'string' ? fence.meta.color : undefined,
      shape: fence.shape,
    }));
    return [
      drawnFences(createStore<DrawnFences>({ fences: drawn, selected: undefined }), { nameClass: css.unseenName! }),
    ];
  }, [fences]);
  return (
    <>
      <h3>{words.will({ count: fences.length })}</h3>
      {box && (
        <div className={css.preview}>
          <div className={css.map}>
            <MapView key={JSON.stringify(box)} label={words.preview} parts={parts} start={{ bounds: box }} />
          </div>
          <ul className={css.list}>
            {fences.slice(0, MOST_SHOWN).map((fence, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: The list does not change.
              <li key={index}>
                <ColorDot color={(fence.meta?.color as string | undefined) ?? null} />
                <span className={css.name}>{fence.name ?? t.geofences.unnamed}</span>
                {fence.type && <Tag>{fence.type}</Tag>}
                <span className={css.soft}>
                  {fence.shape.kind === 'circle'
                    ? t.geofences.circleOf({ radius: format.distance(fence.shape.radius) })
                    : t.geofences.polygonOf({ corners: fence.shape.outline.length })}
                </span>
              </li>
            ))}
            {fences.length > MOST_SHOWN && (
              <li className={css.soft}>{words.more({ count: fences.length - MOST_SHOWN })}</li>
            )}
          </ul>
        </div>
      )}
      {skipped.length > 0 && (
        <Notice tone="warn">
          {words.skips({ count: skipped.length })}
          <Reasons items={skipped} />
        </Notice>
      )}
      {remarks.length > 0 && (
        <Notice>
          <Reasons items={remarks} />
        </Notice>
      )}
    </>
  );
}

const Reasons = ({ items }: { items: readonly Skipped[] }) => (
  <ul className={css.reasons}>
    {items.slice(0, MOST_SHOWN).map(({ what, why }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: The list does not change.
      <li key={index}>
        <strong>{what}</strong> {why}
      </li>
    ))}
    {items.length > MOST_SHOWN && <li>{words.more({ count: items.length - MOST_SHOWN })}</li>}
  </ul>
);

function takenFrom(text: string): { taken: Taken } | { problem: string } | Record<never, never> {
  if (text.trim() === '') return {};
  try {
    return { taken: readGeoJson(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const bodyOf = ({ shape, ...fence }: NewFence) => ({ ...fence, ...fieldsOf(shape) });
