import type { Maps } from '@trackway/contract/resources/service/maps.ts';
import { useChange, useRead } from './calls.ts';
import { useServerInfo } from './server-info.ts';
import { useSession } from './session.ts';

export type { Maps };

const FIVE_MINUTES = 300_000;

/** What maps show below the devices. Who is not signed in learns of the style alone. */
export function useMaps(): { readonly maps: Maps | undefined; readonly isKnown: boolean } {
  const isSignedIn = useSession().session !== undefined;
  const info = useServerInfo();
  const read = useRead('getMaps', {}, { enabled: isSignedIn, staleTime: FIVE_MINUTES });
  if (isSignedIn) return { maps: read.data, isKnown: read.data !== undefined || read.isError };
  const style = info.data?.mapStyle;
  const maps: Maps | undefined =
    style === undefined
      ? undefined
      : { choice: style ? 'style' : 'world', style, hosts: [], region: '', isFixed: true, files: [] };
  return { maps, isKnown: maps !== undefined || info.isError };
}

export const useChooseMap = () => useChange('chooseMap', ['getMaps', 'getServerInfo']);
