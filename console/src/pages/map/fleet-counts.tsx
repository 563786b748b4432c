import { useMemo } from 'react';
import { useFleet } from '../../api/live/fleet.ts';
import { type FleetState, stateOf } from '../../api/live/fleet-device.ts';
import { count } from '../../format/quantities.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { classes } from '../../ui/class-names.ts';
import css from './fleet-counts.module.css';

const STATES: readonly FleetState[] = ['moving', 'stopped', 'offline'];

/** The number of devices by state; pressing one filters by it. */
export function FleetCounts({
  only,
  onOnly,
  inGroup,
}: {
  only: FleetState | undefined;
  onOnly: (state: FleetState | undefined) => void;
  /** The devices that count; all where absent. */
  inGroup?: ReadonlySet<number> | undefined;
}) {
  const { devices, version, loading } = useFleet();
  const { offlineAfterMin } = usePreferences();
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version changes with it.
  const counts = useMemo(() => {
    const now = Date.now();
    const found = { moving: 0, stopped: 0, offline: 0 };
    for (const device of devices.values())
      if (inGroup?.has(device.id) !== false) found[stateOf(device, now, offlineAfterMin)]++;
    return found;
  }, [devices, version, offlineAfterMin, inGroup]);
  if (loading !== 'ready' || devices.size === 0) return null;
  return (
    <div className={css.counts}>
      {STATES.map((state) => (
        <button
          key={state}
          type="button"
          className={classes(css.chip, only === state && css.on)}
          aria-pressed={only === state}
          title={only === state ? t.map.showAll : t.map.showOnly({ state: t.map.count[state] })}
          onClick={() => onOnly(only === state ? undefined : state)}
        >
          <span className={classes(css.mark, css[state])} />
          <b>{count(counts[state])}</b> {t.map.count[state]}
        </button>
      ))}
    </div>
  );
}
