import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { ButtonLink } from '../../ui/button.tsx';

/** The result of a link, and the next step. */
export function Done({ title, text, action, href }: { title: string; text: string; action?: string; href?: string }) {
  return (
    <SignInFrame title={title} lead={text}>
      {action && href && (
        <div className={css.form}>
          <ButtonLink href={href} kind="primary" fills>
            {action}
          </ButtonLink>
        </div>
      )}
    </SignInFrame>
  );
}
