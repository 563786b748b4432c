import { useFormat } from '../../../format/use-format.ts';
import { SPEED_COLORS } from '../../../map/track/track.ts';
import { t } from '../../../texts/t.ts';
import css from './legend.module.css';

/** The legend of the track's colours. */
export function SpeedLegend() {
  const format = useFormat();
  return (
    <div className={css.legend} role="img" aria-label={t.deviceDay.legend}>
      {SPEED_COLORS.map(({ fromKmh, color }, index) => (
        <span key={fromKmh} className={css.step}>
          <span style={{ background: color }} />
          {index === SPEED_COLORS.length - 1 ? format.speed(fromKmh) : format.speed(fromKmh).split(/\s/)[0]}
        </span>
      ))}
    </div>
  );
}
