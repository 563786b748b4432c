import { eventually } from '../../../server/src/testing/eventually.ts';
import { isLogMarked } from '../../../server/src/testing/storage/damage.ts';
import { ADMIN, startServer } from './server-process.ts';

/**
 * Fills a database through a server that is then stopped, or killed once its log is marked. Returns how many positions
 * were acknowledged.
 */
export async function fillDatabase(folder: string, end: 'stop' | 'kill', reports = 40): Promise<number> {
  const server = await startServer('sqlite', folder);
  const call = async (path: string, body: unknown, token = '') => {
    const answer = await fetch(`${server.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: token },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string; deviceKey: string };
  };
  const { id: token } = await call('/api/users/login', ADMIN);
  const { deviceKey } = await call('/api/devices', { name: 'van' }, token);
  const now = Date.now();
  let acknowledged = 0;
  for (let report = 0; report < reports; report++) {
    const points = Array.from({ length: 20 }, (_, index) => ({
      lat: 48 + report / 1000,
      lng: 11 + index / 1000,
      timestamp: new Date(now - (reports - report) * 20_000 + index * 1000).toISOString(),
    }));
    await call('/ingest/reports', { points }, deviceKey);
    acknowledged += points.length;
  }
  if (end === 'stop') await server.stop();
  else {
    await eventually('the whole log is marked', () => isLogMarked(folder));
    await server.kill();
  }
  return acknowledged;
}
