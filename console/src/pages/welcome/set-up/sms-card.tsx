import { useState } from 'react';
import { protocolName } from '../../../format/protocol-name.ts';
import { t } from '../../../texts/t.ts';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { useTrackerAddress } from '../unknown/tracker-address.tsx';
import css from '../unknown/unknown-trackers.module.css';
import { MAKERS, smsTexts } from './sms-texts.ts';

const words = t.trackers.sms;

/** The SMS that configure a tracker for this server. */
export function SmsCard() {
  const { host, port } = useTrackerAddress() ?? {};
  const [protocol, setProtocol] = useState(MAKERS[0]!.protocol);
  const [apn, setApn] = useState('internet');
  if (!host || !port) return null;
  const maker = MAKERS.find((one) => one.protocol === protocol)!;
  return (
    <section className={css.card} aria-labelledby="sms">
      <div>
        <h2 id="sms">{words.title}</h2>
        <p className={css.soft}>{words.lead}</p>
      </div>
      <FieldStack>
        <SelectField
          label={words.model}
          value={protocol}
          onChange={setProtocol}
          choices={MAKERS.map((one) => ({
            value: one.protocol,
            label: `${protocolName(one.protocol)}: ${one.models}`,
          }))}
        />
        <TextField label={words.apn} hint={words.apnHint} value={apn} onChange={setApn} maxLength={100} />
        {smsTexts(maker, { host, port, apn: apn.trim() || 'APN' }).map((text) => (
          <CopyField key={text} value={text} label={words.text} />
        ))}
      </FieldStack>
    </section>
  );
}
