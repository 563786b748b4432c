import { classes } from '../../ui/class-names.ts';
import { Sparkline } from '../../ui/figures/sparkline.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icons.ts';
import css from './health.module.css';

/** One important number, with its history. */
export function Tile({
  name,
  value,
  about,
  icon,
  course,
  isBad,
}: {
  name: string;
  value: string;
  about?: string;
  icon: IconName;
  course?: readonly number[];
  isBad?: boolean;
}) {
  return (
    <div className={classes(css.tile, isBad && css.bad)}>
      <div className={css.name}>
        <Icon name={icon} size={18} />
        {name}
      </div>
      <div className={css.line}>
        <span>
          <strong className={css.value}>{value}</strong> {about && <span className={css.about}>{about}</span>}
        </span>
        {course && (
          <span className={css.course}>
            <Sparkline values={course} />
          </span>
        )}
      </div>
    </div>
  );
}
