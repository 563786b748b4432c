import type { Maps } from '@trackway/contract/resources/service/maps.ts';
import { useMemo } from 'react';
import { useChange, useRead } from './calls.ts';
import { chosenAlone } from './public-maps.ts';
import { useServerInfo } from './server-info.ts';
import { useSession } from './session.ts';

export type { Maps };

const FIVE_MINUTES = 300_000;

/** The background of maps. Visitors without a session see the server's map and cannot change it. */
export function useMaps(): { readonly maps: Maps | undefined; readonly isKnown: boolean } {
  const isSignedIn = useSession().session !== undefined;
  const info = useServerInfo();
  const read = useRead('getMaps', {}, { enabled: isSignedIn, staleTime: FIVE_MINUTES });
  const { data } = info;
  // Memoized, because a map is redrawn when it gets another object.
  const open = useMemo(() => (data === undefined ? undefined : chosenAlone(data)), [data]);
  if (isSignedIn) return { maps: read.data, isKnown: read.data !== undefined || read.isError };
  return { maps: open, isKnown: open !== undefined || info.isError };
}

export const useChooseMap = () => useChange('chooseMap', ['getMaps', 'getServerInfo']);
