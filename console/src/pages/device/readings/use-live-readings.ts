import { useEffect } from 'react';
import { readAnew } from '../../../api/calls.ts';
import { onLive } from '../../../api/live/live.ts';

/** Many readings may arrive per second; they are read again at most this often. */
const AT_MOST_EVERY_MS = 5000;

/** Reads the list again after an event about a reading of this device, or a sighting by it. */
export function useLiveReadings(
  deviceId: number,
  list: 'listReadings' | 'listGatewayReadings' | 'nearbyDevices',
): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onLive('reading', (reading) => {
      const isOurs = (list === 'listReadings' ? reading.deviceId : reading.gatewayId) === deviceId;
      if (!isOurs || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        void readAnew([list]);
      }, AT_MOST_EVERY_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [deviceId, list]);
}
