import { addressOf } from '@trackway/client/address.ts';
import { errorOf } from '@trackway/client/api-error.ts';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import type { ExportFormat } from '@trackway/contract/resources/trip.ts';
import type { Range } from '../../../api/devices.ts';
import { freshToken } from '../../../api/session.ts';

/**
 * Downloads the positions of a range. It is a file, not JSON, so the client's methods cannot read it.
 * @param name of the file, without its extension
 */
export async function saveTrack(deviceId: number, range: Range, format: ExportFormat, name: string): Promise<void> {
  const address = addressOf(OPERATIONS.exportTrack, 'v1', { id: deviceId, ...range, format });
  const answer = await fetch(address, { headers: { authorization: (await freshToken()) ?? '' } });
  if (!answer.ok) throw await errorOf(answer);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.${format}`;
  link.click();
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
