import { t } from '../../texts/t.ts';
import { classes } from '../../ui/class-names.ts';
import css from './geofence-form.module.css';

/** Colours with good contrast on the light and the dark map. */
export const COLORS = {
  green: '#1f9d6b',
  teal: '#1596a5',
  blue: '#3d7fd6',
  violet: '#7a62d3',
  pink: '#c8508f',
  red: '#d0453b',
  orange: '#d97a1f',
  yellow: '#b8930f',
  grey: '#6b7985',
} as const;

/** The colour of a fence without its own, while it is drawn. */
export const PLAIN_COLOR = '#6d5bd0';

const words = t.geofences.form;

export function ColorChoice({
  value,
  onChange,
  isRequired,
}: {
  value: string | null;
  onChange: (color: string | null) => void;
  isRequired?: boolean;
}) {
  const none: [string, null][] = isRequired ? [] : [[words.noColor, null]];
  const offered: [string, string | null][] = [...none, ...Object.entries(COLORS)];
  if (value !== null && !Object.values<string>(COLORS).includes(value)) offered.push([value, value]);
  return (
    <fieldset className={css.colors}>
      <legend>{words.color}</legend>
      {offered.map(([name, color]) => (
        <label
          key={name}
          className={classes(css.color, color === value && css.chosen)}
          title={color ? name : words.noColor}
        >
          <input
            type="radio"
            name="fence-color"
            className="unseen"
            aria-label={color ? words.colorOf({ name }) : words.noColor}
            checked={color === value}
            onChange={() => onChange(color)}
          />
          <span
            className={classes(css.swatch, color === null && css.none)}
            style={color ? { background: color } : undefined}
          />
        </label>
      ))}
    </fieldset>
  );
}
