import { type HistoryImport, importHistory } from '@trackway/client/history/import-history.ts';
import { textOf } from '@trackway/client/history/lines.ts';
import { HistoryProblem } from '@trackway/client/history/position.ts';
import { useEffect, useRef, useState } from 'react';
import { useRead } from '../api/calls.ts';
import { client } from '../api/client.ts';
import { count } from '../format/quantities.ts';
import { t } from '../texts/t.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, FieldStack, TextField } from '../ui/fields/field.tsx';
import { Notice, problemOf } from '../ui/states.tsx';
import { words as common } from '../ui/words.ts';
import { PickDevice } from './pick-device.tsx';

const words = t.historyImport;
const LOOK_AGAIN_MS = 2000;
/** Older imports are considered abandoned. */
const MOST_INTERRUPTED = 5;

/** Imports a file of positions into a device. An interrupted import is resumed. */
export function HistoryDialog({ into, onClose }: { into?: number; onClose: () => void }) {
  const [deviceId, setDeviceId] = useState(into);
  const [file, setFile] = useState<File>();
  const [only, setOnly] = useState('');
  const [now, setNow] = useState<HistoryImport>();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const isDone = now !== undefined && now.status !== 'open';
  const interrupted = useInterrupted(deviceId, now === undefined);
  // An import that was started on another day, or in a closed page, continues with the same file.
  const goesOn = interrupted.find(({ name }) => name === file?.name);

  const start = async () => {
    if (deviceId === undefined || file === undefined) return;
    setProblem(undefined);
    setRunning(true);
    stop.current = new AbortController();
    try {
      const chunks = textOf(bytesOf(file));
      const { signal } = stop.current;
      const resume = now?.status === 'open' ? now.id : goesOn?.id;
      const options = { name: file.name, only: only.trim() || undefined, resume, onProgress: setNow, signal };
      await importHistory(client, deviceId, chunks, options);
    } catch (error) {
      if (!stop.current.signal.aborted) setProblem(error instanceof HistoryProblem ? error.message : problemOf(error));
    } finally {
      setRunning(false);
    }
  };
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      onSubmit={() => void start()}
      actions={
        isDone ? (
          <Button kind="primary" onClick={onClose}>
            {words.close}
          </Button>
        ) : (
          <>
            <Button onClick={isRunning ? () => stop.current?.abort() : onClose}>
              {isRunning ? words.stop : common.cancel}
            </Button>
            <Button
              kind="primary"
              type="submit"
              isBusy={isRunning}
              disabled={deviceId === undefined || file === undefined}
            >
              {now || goesOn ? words.resume : words.start}
            </Button>
          </>
        )
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        {isDone ? (
          <Ended imported={now} />
        ) : now ? (
          <p role="status">{words.progress({ sent: count(now.received) })}</p>
        ) : (
          <>
            <PickDevice label={words.device} deviceId={deviceId} onChange={setDeviceId} />
            {interrupted.map(({ id, name, received }) => (
              <Notice key={id} tone="info">
                {words.interrupted({ name: name ?? '', sent: count(received) })}
              </Notice>
            ))}
            <Field
              label={words.file}
              hint={words.hint}
              control={(tied) => (
                <input
                  {...tied}
                  type="file"
                  accept=".gpx,.kml,.json,.geojson,.csv,.rec,.txt"
                  onChange={({ target }) => setFile(target.files?.[0])}
                />
              )}
            />
            {file?.name.toLowerCase().endsWith('.csv') && (
              <TextField label={words.only} hint={words.onlyHint} value={only} onChange={setOnly} />
            )}
          </>
        )}
      </FieldStack>
    </Dialog>
  );
}

/** The unfinished imports into a device; those without a name cannot be distinguished. */
function useInterrupted(deviceId: number | undefined, isAsked: boolean): readonly HistoryImport[] {
  const filter = { where: { status: 'open' }, order: 'id DESC', limit: MOST_INTERRUPTED };
  const { data } = useRead(
    'listHistoryImports',
    { id: deviceId ?? 0, filter },
    { enabled: isAsked && deviceId !== undefined, staleTime: 0 },
  );
  return isAsked && deviceId !== undefined ? (data ?? []).filter(({ name }) => name) : [];
}

/** The result, and whether its trips have been computed. */
function Ended({ imported }: { imported: HistoryImport }) {
  const [isBuilding, setBuilding] = useState(true);
  const { data } = useRead(
    'getHistoryImport',
    { id: imported.deviceId, fk: imported.id },
    { staleTime: 0, ...(isBuilding && { refetchInterval: LOOK_AGAIN_MS }) },
  );
  const { status, stored, duplicates, refused } = data ?? imported;
  useEffect(() => setBuilding(status !== 'done'), [status]);
  return (
    <div role="status">
      <p>{words.done({ stored: count(stored), known: count(duplicates), refused: count(refused) })}</p>
      <p>{status === 'done' ? words.built : words.building}</p>
    </div>
  );
}

/** In parts, also in browsers that cannot iterate over a stream. */
async function* bytesOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}
