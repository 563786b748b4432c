import { useState } from 'react';
import { useMe } from '../../api/accounts/users.ts';
import { useMaps } from '../../api/maps.ts';
import { t } from '../../texts/t.ts';
import { ButtonLink, IconButton } from '../../ui/button.tsx';
import { words } from '../../ui/words.ts';
import css from './ground.module.css';

/** Until the page is reloaded. */
let isLater = false;

/** Offers to set up streets where they are missing, until an admin has decided. */
export function StreetHint() {
  const { maps } = useMaps();
  const isAdmin = useMe().data?.admin === true;
  const [isClosed, setClosed] = useState(isLater);
  if (!isAdmin || isClosed || maps?.choice !== 'unset' || maps.files.length > 0) return null;
  const close = () => {
    isLater = true;
    setClosed(true);
  };
  return (
    <div className={css.room}>
      <div className={css.notice} role="status">
        <span className={css.asked}>{t.ground.noStreets}</span>
        <ButtonLink href="/settings#map" size="small">
          {t.ground.chooseStreets}
        </ButtonLink>
        <IconButton icon="close" kind="plain" size="small" label={words.dismiss} onClick={close} />
      </div>
    </div>
  );
}
