import { useEffect } from 'react';
import { useMe } from '../api/accounts/users.ts';
import { keepLanguage } from '../language.ts';
import { prefer } from '../preferences.ts';

/** Applies the language and units of the signed-in user to this browser. */
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
