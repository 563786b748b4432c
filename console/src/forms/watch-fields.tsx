import { SEVERITIES } from '@trackway/contract/severities.ts';
import { t } from '../texts/t.ts';
import { FieldStack, NumberField, TextField } from '../ui/fields/field.tsx';
import { Segmented } from '../ui/tabs.tsx';
import { minutes } from './trigger-units.ts';
import type { WatchDraft } from './watch-draft.ts';

const words = t.rules;

/** The severity, and the recipient of an escalation. */
export function WatchFields({ draft, onChange }: { draft: WatchDraft; onChange: (draft: WatchDraft) => void }) {
  return (
    <FieldStack>
      <Segmented
        label={words.severity}
        value={draft.severity}
        choices={SEVERITIES.map((value) => ({ value, label: words.severities[value] }))}
        onChange={(severity) => onChange({ ...draft, severity })}
      />
      <NumberField
        label={words.escalateAfter}
        hint={words.escalateAfterHint}
        unit={minutes.unit}
        min={0}
        max={10_080}
        value={minutes.shown(draft.escalateAfter)}
        onChange={(shown) => onChange({ ...draft, escalateAfter: Math.round(minutes.kept(shown ?? 0)) })}
      />
      {draft.escalateAfter > 0 && (
        <TextField
          label={words.escalateTo}
          hint={words.escalateToHint}
          maxLength={320}
          value={draft.escalateTo}
          onChange={(escalateTo) => onChange({ ...draft, escalateTo })}
        />
      )}
    </FieldStack>
  );
}
