import { addressOf } from '@trackway/client/address.ts';
import { errorOf } from '@trackway/client/api-error.ts';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import { freshToken } from '../../api/session.ts';
import { saveFile } from '../../ui/save-file.ts';

/** Downloads all data about a device or a user. It is a file, not JSON, so the client's methods cannot read it. */
export async function saveData(kind: 'device' | 'user', id: number): Promise<void> {
  const operation = kind === 'device' ? OPERATIONS.exportDeviceData : OPERATIONS.exportUserData;
  const answer = await fetch(addressOf(operation, 'v1', { id }), {
    headers: { authorization: (await freshToken()) ?? '' },
  });
  if (!answer.ok) throw await errorOf(answer);
  saveFile(`${kind}-${id}.zip`, 'application/zip', await answer.bytes());
}
