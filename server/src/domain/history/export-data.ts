import { timeNow } from '../../platform/clock.ts';
import { type ZippedFile, zipOf } from '../../platform/formats/zip.ts';
import { unlessBusy } from '../family.ts';
import { exportChunk } from '../motion/export.ts';
import { getRow } from '../rows.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { AUDIT_HOLDINGS, DEVICE_HOLDINGS, type Holding, USER_HOLDINGS } from './personal-holdings.ts';
import { type ExportedRows, rowsChunk } from './rows-chunk.ts';

/** All data about a device or a user, as a streamed ZIP archive. */

export interface DataExport {
  readonly fileName: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const WITHOUT_ID: ReadonlySet<keyof Tables> = new Set([
  'deviceGroupMembers',
  'rtkStates',
  'signInAddresses',
  'authenticators',
] as const);

interface DataExports {
  ofDevice(deviceId: number, owner: string): Promise<DataExport>;
  ofUser(userId: number, owner: string): Promise<DataExport>;
}

/** @param store its threads read the data; `owner` is the reader, whose concurrent exports are limited */
export function dataExports(store: Store): DataExports {
  const rowsOf = store.readWork(rowsChunk);
  const trackOf = store.readWork(exportChunk);

  async function* lines(wanted: ExportedRows, owner: string): AsyncGenerator<string> {
    let after: ExportedRows['after'];
    do {
      const chunk = await unlessBusy('exports', rowsOf({ ...wanted, after }, owner));
      yield chunk.text;
      after = chunk.after;
    } while (after !== undefined);
  }

  async function* track(device: { id: number; name: string }, owner: string): AsyncGenerator<string> {
    const all = { device, format: 'gpx', from: 0, to: Number.MAX_SAFE_INTEGER } as const;
    let after: Awaited<ReturnType<typeof trackOf>>['after'];
    do {
      const chunk = await unlessBusy('exports', trackOf({ ...all, after }, owner));
      yield chunk.text;
      after = chunk.after;
    } while (after !== undefined);
  }

  const fileOf = (holding: Holding, value: number, userId: number, folder: string, owner: string): ZippedFile => {
    const { table, column, hides = [], time, file, ofOwner } = holding;
    const wanted = { table, column, value, hides, time, hasId: !WITHOUT_ID.has(table), ...(ofOwner && { userId }) };
    return { name: `${folder}${file}.jsonl`, chunks: () => lines(wanted, owner) };
  };

  function deviceFiles({ id, name, ownerId }: ExportedDevice, folder: string, owner: string): ZippedFile[] {
    const files = exported(DEVICE_HOLDINGS).map((holding) => fileOf(holding, id, ownerId, folder, owner));
    return [...files, { name: `${folder}track.gpx`, chunks: () => track({ id, name: name ?? `Device ${id}` }, owner) }];
  }

  const devices = store.query.selectFrom('devices').select(['id', 'name', 'ownerId']);
  const zip = (files: readonly ZippedFile[], about: string) =>
    zipOf([textFile('README.txt', readme(about)), ...files], new Date(timeNow()));

  return {
    async ofDevice(deviceId, owner) {
      const device = await devices.where('id', '=', deviceId).executeTakeFirstOrThrow();
      const about = `the device ${deviceId}${device.name === null ? '' : `, ${device.name}`}`;
      return { fileName: `device-${deviceId}.zip`, bytes: zip(deviceFiles(device, '', owner), about) };
    },

    async ofUser(userId, owner) {
      const { email } = await getRow(store.query, 'users', { id: userId }, ['email']);
      const own = await devices.where('ownerId', '=', userId).where('deletedAt', 'is', null).orderBy('id').execute();
      const files = [
        ...exported([...USER_HOLDINGS, ...AUDIT_HOLDINGS]).map((holding) => fileOf(holding, userId, userId, '', owner)),
        ...own.flatMap((device) => deviceFiles(device, `devices/${device.id}/`, owner)),
      ];
      return { fileName: `account-${userId}.zip`, bytes: zip(files, `the account ${email}`) };
    },
  };
}

interface ExportedDevice {
  readonly id: number;
  readonly name: string | null;
  readonly ownerId: number;
}

const exported = (holdings: readonly Holding[]) => holdings.filter(({ file }) => file !== undefined);

const textFile = (name: string, text: string): ZippedFile => ({
  name,
  async *chunks() {
    yield text;
  },
});

const readme = (about: string) => `Everything that Trackway holds about ${about}.
Made ${new Date(timeNow()).toISOString()}.

Files that end in .jsonl have one JSON object in each line. Times are in UTC, distances in metres, speeds in km/h.
track.gpx has the positions that have a place, for programs that show maps. Devices of an account are in the folder
"devices", by their ids.

Left out are secrets (passwords, keys, tokens), which are stored encrypted or as fingerprints, what the program works
out from the rest and can work out again, and what is about other people.
`;
