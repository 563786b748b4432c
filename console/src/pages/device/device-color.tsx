import { useId } from 'react';
import { t } from '../../texts/t.ts';
import { classes } from '../../ui/class-names.ts';
import css from './device-color.module.css';

/** Colours that are distinguishable on both themes. */
const COLORS = ['#2f6fc4', '#12805a', '#c7283f', '#e0a100', '#7a4fc9', '#e06a1b', '#0f8a9d', '#c2418e', '#6b7785'];

/** One of a few colours, a custom one, or none. */
export function DeviceColor({ value, onChange }: { value: string | null; onChange: (color: string | null) => void }) {
  const name = useId();
  const isOwn = value !== null && !COLORS.includes(value);
  return (
    <fieldset className={css.colors}>
      <legend>{t.device.color}</legend>
      <label className={classes(css.none, value === null && css.chosen)}>
        <input type="radio" className="unseen" name={name} checked={value === null} onChange={() => onChange(null)} />
        {t.device.noColor}
      </label>
      {COLORS.map((color) => (
        <label key={color} className={classes(css.color, value === color && css.chosen)} style={{ background: color }}>
          <input
            type="radio"
            className="unseen"
            name={name}
            checked={value === color}
            onChange={() => onChange(color)}
            aria-label={color}
          />
        </label>
      ))}
      <input
        type="color"
        className={classes(css.any, isOwn && css.chosen)}
        aria-label={t.device.ownColor}
        title={t.device.ownColor}
        value={isOwn && /^#[0-9a-f]{6}$/i.test(value) ? value : '#888888'}
        onChange={(event) => onChange(event.target.value)}
      />
    </fieldset>
  );
}
