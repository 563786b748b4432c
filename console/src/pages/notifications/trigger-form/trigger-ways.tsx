import type { Channel } from '@trackway/contract/channels.ts';
import type { ReactNode } from 'react';
import { useServerInfo } from '../../../api/server-info.ts';
import { useMe } from '../../../api/users.ts';
import type { TriggerDraft } from '../../../forms/trigger-draft.ts';
import { t } from '../../../texts/t.ts';
import { TextField } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import css from './trigger-form.module.css';

const words = t.triggers.ways;

interface Props {
  readonly draft: TriggerDraft;
  readonly onChange: (change: Partial<TriggerDraft>) => void;
}

/** What each way out asks for. One that is new does not compile until it is here. */
const WAYS: Readonly<Record<Channel, { label: string; hint?: string; fields?: (props: Props) => ReactNode }>> = {
  push: { label: words.push, hint: words.pushHint },
  email: { label: words.email, fields: EmailField },
  http: {
    label: words.http,
    fields: ({ draft, onChange }) => (
      <TextField
        label={words.httpAddress}
        hint={words.httpHint}
        type="url"
        required
        value={draft.endpoint}
        onChange={(endpoint) => onChange({ endpoint })}
      />
    ),
  },
  sqs: {
    label: words.sqs,
    fields: ({ draft, onChange }) => (
      <TextField
        label={words.sqsAddress}
        hint={words.sqsHint}
        required
        value={draft.sqsArn}
        onChange={(sqsArn) => onChange({ sqsArn })}
      />
    ),
  },
  mqtt: { label: words.mqtt, hint: words.mqttHint },
};

function EmailField({ draft, onChange }: Props) {
  const me = useMe().data;
  return (
    <TextField
      label={words.emailAddress}
      hint={words.emailHint}
      type="email"
      placeholder={me?.email ?? ''}
      value={draft.email}
      onChange={(email) => onChange({ email })}
    />
  );
}

export function WayFields({ draft, onChange }: Props) {
  const setUp = useServerInfo().data?.channels;
  return (
    <div className={css.ways}>
      {(Object.keys(WAYS) as Channel[]).map((way) => {
        const { label, hint, fields: Fields } = WAYS[way];
        return (
          <div key={way}>
            <Checkbox
              label={label}
              hint={setUp?.[way] === false && draft.ways[way] ? words.notSetUp : hint}
              isOn={draft.ways[way]}
              onChange={(isOn) => onChange({ ways: { ...draft.ways, [way]: isOn } })}
            />
            {Fields && draft.ways[way] && (
              <div className={css.wayFields}>
                <Fields draft={draft} onChange={onChange} />
              </div>
            )}
          </div>
        );
      })}
    </div>
  );
}
