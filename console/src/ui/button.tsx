import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import css from './button.module.css';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  readonly kind?: ButtonKind;
  readonly size?: 'normal' | 'small';
  readonly icon?: IconName;
  /** Shows a running action, and disables the button. */
  readonly isBusy?: boolean;
  readonly fills?: boolean;
  /** Shows only the icon if there is little room: for common buttons with a familiar icon. */
  readonly shrinks?: boolean;
  readonly children?: ReactNode;
}

export function Button({
  kind = 'plain',
  size = 'normal',
  icon,
  isBusy,
  fills,
  shrinks,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={classes(
        css.button,
        css[kind],
        css[size],
        fills && css.fills,
        shrinks && css.shrinks,
        isBusy && css.busy,
      )}
    >
      {icon && <Icon name={icon} size={size === 'small' ? 16 : 18} />}
      {children !== undefined && <span className={css.text}>{children}</span>}
    </button>
  );
}

/** A button with only an icon: `label` describes the action. */
export function IconButton({
  icon,
  label,
  isOn,
  size = 'normal',
  kind = 'quiet',
  ...rest
}: Omit<ButtonProps, 'children' | 'icon'> & { icon: IconName; label: string; isOn?: boolean }) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      aria-pressed={isOn}
      className={classes(css.button, css.square, css[kind], css[size], isOn && css.on)}
    >
      <Icon name={icon} size={size === 'small' ? 16 : 20} />
    </button>
  );
}

/** A link to another page that looks like a button. */
export function ButtonLink({
  href,
  kind = 'plain',
  size = 'normal',
  icon,
  fills,
  shrinks,
  children,
}: {
  href: string;
  kind?: ButtonKind;
  size?: 'normal' | 'small';
  icon?: IconName;
  fills?: boolean;
  shrinks?: boolean;
  children: ReactNode;
}) {
  return (
    <Link href={href} className={classes(css.button, css[kind], css[size], fills && css.fills, shrinks && css.shrinks)}>
      {icon && <Icon name={icon} size={size === 'small' ? 16 : 18} />}
      <span className={css.text}>{children}</span>
    </Link>
  );
}
