import { useEffect } from 'react';
import { useMe } from '../api/accounts/users.ts';
import { keepLanguage } from '../language.ts';
import { prefer } from '../preferences.ts';

/** The language and units that the viewer has chosen come with them to each browser. */
export function useChosenSpeech(): void {
  const { data: me } = useMe();
  const { language, units } = me ?? {};
  useEffect(() => {
    if (language !== undefined && keepLanguage(language)) location.reload();
  }, [language]);
  useEffect(() => {
    if (units) prefer({ units });
  }, [units]);
}
