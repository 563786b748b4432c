import css from '../../shell/door.module.css';
import { Door } from '../../shell/door.tsx';
import { ButtonLink } from '../../ui/button.tsx';

/** The result of a link, and the next step. */
export function Done({ title, text, action, href }: { title: string; text: string; action?: string; href?: string }) {
  return (
    <Door title={title} lead={text}>
      {action && href && (
        <div className={css.form}>
          <ButtonLink href={href} kind="primary" fills>
            {action}
          </ButtonLink>
        </div>
      )}
    </Door>
  );
}
