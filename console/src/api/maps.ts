import type { Maps } from '@trackway/contract/resources/service/maps.ts';
import { useMemo } from 'react';
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
  const style = info.data?.mapStyle;
  // The same as long as nothing changes: a map is drawn anew where it gets another.
  const open = useMemo(() => (style === undefined ? undefined : styleAlone(style)), [style]);
  if (isSignedIn) return { maps: read.data, isKnown: read.data !== undefined || read.isError };
  return { maps: open, isKnown: open !== undefined || info.isError };
}

const styleAlone = (style: string): Maps => ({
  choice: style ? 'style' : 'world',
  style,
  hosts: [],
  region: '',
  isFixed: true,
  files: [],
});

export const useChooseMap = () => useChange('chooseMap', ['getMaps', 'getServerInfo']);
