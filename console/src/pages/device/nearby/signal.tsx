import { t } from '../../../texts/t.ts';
import { SignalBars } from '../../../ui/figures/signal-bars.tsx';
import css from './nearby-sheet.module.css';

/** Thresholds of the signal bars: usual values of short-range radio, in dBm. */
const BOUNDS = [-95, -85, -75, -65, -55];

export const barsOf = (rssi: number) => BOUNDS.filter((bound) => rssi >= bound).length;

/** The signal strength of a sighting. */
export function Signal({ rssi }: { rssi: number | null }) {
  if (rssi === null) return null;
  const lit = barsOf(rssi);
  return (
    <span className={css.signal}>
      <SignalBars lit={lit} label={t.deviceReadings.strength[lit]!} />
      {t.deviceReadings.dBm({ rssi: Math.round(rssi) })}
    </span>
  );
}
