import { CHANNEL_KINDS, type Channel, specOf } from '@trackway/contract/channels.ts';
import { useMe } from '../../../api/accounts/users.ts';
import { useServerInfo } from '../../../api/server-info.ts';
import { hasForms, type TriggerDraft } from '../../../forms/trigger-draft.ts';
import { webhookExample } from '../../../forms/webhook-example.ts';
import type { ChannelWords } from '../../../texts/en/channels.ts';
import { t } from '../../../texts/t.ts';
import { SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import css from './trigger-form.module.css';

const words = t.triggers.ways;

interface Props {
  readonly draft: TriggerDraft;
  readonly onChange: (change: Partial<TriggerDraft>) => void;
}

export function WayFields({ draft, onChange }: Props) {
  const setUp = useServerInfo().data?.channels;
  return (
    <div className={css.ways}>
      {CHANNEL_KINDS.map((way) => {
        const { name, hint }: ChannelWords = t.channels[way];
        return (
          <div key={way}>
            <Checkbox
              label={name}
              hint={setUp?.[way] === false && draft.ways[way] ? words.notSetUp : hint}
              isOn={draft.ways[way]}
              onChange={(isOn) => onChange({ ways: { ...draft.ways, [way]: isOn } })}
            />
            {draft.ways[way] && <AddressField way={way} draft={draft} onChange={onChange} />}
          </div>
        );
      })}
      {hasForms(draft.ways) && <FormField draft={draft} onChange={onChange} />}
    </div>
  );
}

const FORMS = ['plain', 'envelope'] as const;

/** What webhooks and queues get: as plain JSON, or in the envelope of the published service. */
function FormField({ draft, onChange }: Props) {
  return (
    <div className={css.example}>
      <SelectField
        label={words.form}
        hint={words.formHints[draft.isPlain ? 'plain' : 'envelope']}
        value={draft.isPlain ? 'plain' : 'envelope'}
        choices={FORMS.map((value) => ({ value, label: words.forms[value] }))}
        onChange={(form) => onChange({ isPlain: form === 'plain' })}
      />
      <details>
        <summary>{words.example}</summary>
        <pre>{webhookExample(draft, words.exampleMessage)}</pre>
        <p className={css.soft}>{words.exampleHint}</p>
      </details>
    </div>
  );
}

/** The address of a channel that needs one. */
function AddressField({ way, draft, onChange }: Props & { way: Channel }) {
  const me = useMe().data;
  const { field }: ChannelWords = t.channels[way];
  if (field === undefined) return null;
  const { address } = specOf(way);
  const isOptional = address.from === 'parameter' && address.isAccountByDefault === true;
  return (
    <div className={css.wayFields}>
      <TextField
        {...field}
        required={!isOptional}
        placeholder={isOptional ? (me?.email ?? '') : ''}
        value={draft.addresses[way] ?? ''}
        onChange={(typed) => onChange({ addresses: { ...draft.addresses, [way]: typed } })}
      />
    </div>
  );
}
