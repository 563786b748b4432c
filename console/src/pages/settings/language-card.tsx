import { LANGUAGE_LIST, LANGUAGES, type Language } from '@trackway/contract/wording/languages.ts';
import { type User, useUpdateUser } from '../../api/accounts/users.ts';
import { keepLanguage } from '../../language.ts';
import { prefer, usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { FieldStack, SelectField } from '../../ui/fields/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import type { Units } from '../../units.ts';
import css from './settings.module.css';

const words = t.settings;

/** Language and units of the viewer: here, by mail and by push. Every choice is saved at once. */
export function LanguageCard({ me }: { me: User }) {
  const update = useUpdateUser();
  const speak = async (language: Language | null) => {
    await update.mutateAsync({ id: me.id, body: { language } });
    if (keepLanguage(language)) location.reload();
  };
  const measure = (units: Units) => {
    prefer({ units });
    update.mutate({ id: me.id, body: { units } });
  };
  return (
    <Card title={words.language}>
      <FieldStack>
        {update.error && <Notice tone="danger">{problemOf(update.error)}</Notice>}
        <p className={css.soft}>{words.languageHint}</p>
        <SelectField<Language | ''>
          label={words.languageName}
          value={me.language ?? ''}
          // The notice above shows why it was not saved.
          onChange={(language) => void speak(language === '' ? null : language).catch(() => undefined)}
          choices={[
            { value: '', label: words.languageUnset },
            ...LANGUAGES.map((value) => ({ value, label: labelOf(value) })),
          ]}
        />
        <UnitChoice quantity="distance" choices={['metric', 'imperial']} onChange={measure} />
        <UnitChoice quantity="length" choices={['metric', 'imperial']} onChange={measure} />
        <UnitChoice quantity="temperature" choices={['celsius', 'fahrenheit']} onChange={measure} />
      </FieldStack>
    </Card>
  );
}

function labelOf(language: Language): string {
  const { name, isUnreviewed } = LANGUAGE_LIST[language];
  return isUnreviewed ? words.languageUnreviewed({ name }) : name;
}

interface UnitChoiceProps<Q extends keyof Units> {
  readonly quantity: Q;
  readonly choices: readonly Units[Q][];
  readonly onChange: (units: Units) => void;
}

/** One unit, selected independently. */
function UnitChoice<Q extends keyof Units>({ quantity, choices, onChange }: UnitChoiceProps<Q>) {
  const { units } = usePreferences();
  const labels: Readonly<Record<keyof Units, string>> = words.unitOf;
  const all: Readonly<Record<keyof Units, Readonly<Record<string, string>>>> = words.unitNames;
  const [label, names] = [labels[quantity], all[quantity]];
  return (
    <div className={css.choice}>
      <span aria-hidden="true">{label}</span>
      <Segmented<Units[Q]>
        label={label}
        value={units[quantity]}
        onChange={(one) => onChange({ ...units, [quantity]: one })}
        choices={choices.map((value) => ({ value, label: names[value]! }))}
      />
    </div>
  );
}
