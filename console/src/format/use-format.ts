import { useEffect, useMemo, useState } from 'react';
import { usePreferences } from '../preferences.ts';
import * as quantities from './quantities.ts';

/** A number and its unit stay on one line. */
const joined = (text: string) => text.replaceAll(' ', '\u00a0');

/** Quantities in the units of the viewer: `const format = useFormat(); format.speed(kmh)`. */
export function useFormat() {
  const { units } = usePreferences();
  return useMemo(
    () => ({
      units,
      speed: (kmh: number, digits?: number) => joined(quantities.speed(kmh, units, digits)),
      distance: (metres: number) => joined(quantities.distance(metres, units)),
      altitude: (metres: number) => joined(quantities.altitude(metres, units)),
      temperature: (celsius: number) => joined(quantities.temperature(celsius, units)),
    }),
    [units],
  );
}

/** The current time, updated periodically, for relative times. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
