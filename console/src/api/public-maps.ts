import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Maps } from '@trackway/contract/resources/service/maps.ts';

type ServerInfo = AnswerOf<'getServerInfo'>;

/** The map of the server as visitors see it. */
export const chosenAlone = ({ mapStyle, mapFile }: ServerInfo): Maps => ({
  choice: mapStyle ? 'style' : mapFile ? 'region' : 'world',
  style: mapStyle,
  hosts: [],
  region: mapFile?.name ?? '',
  isFixed: true,
  files: mapFile ? [mapFile] : [],
});

/** Reads what visitors may know of the server, without the client of the API. */
export async function readServerInfo(): Promise<ServerInfo> {
  const answer = await fetch('/api/info', { credentials: 'omit' });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
  return (await answer.json()) as ServerInfo;
}
