import type { Reach } from '@trackway/contract/resources/service/reach.ts';
import { useMe } from '../../api/accounts/users.ts';
import { readAnew, useChange, useRead } from '../../api/calls.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Switch } from '../../ui/fields/switch.tsx';
import { Card, Stack } from '../../ui/page.tsx';
import { Loaded, Notice, problemOf } from '../../ui/states.tsx';
import css from './ways.module.css';

const words = t.phoneAddress.network;

/** Whether devices in the local network can connect. Admins change it, unless a setting decides. */
export function NetworkSwitch({ reach: { localNetwork, addresses } }: { reach: Reach }) {
  const isAdmin = useMe().data?.admin === true;
  const change = useChange('setNetworkAccess', ['getReach']);
  const { port } = new URL(addresses[0]?.url ?? location.origin);
  const firewall = words.firewall({ port: port || '80' });
  if (localNetwork === 'proxy') return <p className={css.soft}>{words.proxy}</p>;
  if (localNetwork === 'always') return <p className={css.soft}>{`${words.always} ${firewall}`}</p>;
  const isOn = localNetwork === 'on';
  return (
    <>
      {change.error && <Notice tone="danger">{problemOf(change.error)}</Notice>}
      {isOn && addresses.length === 0 && <Notice tone="warn">{words.nowhere}</Notice>}
      {isAdmin ? (
        <Switch
          label={words.switch}
          hint={isOn ? firewall : words.risk}
          isOn={(change.isPending ? change.variables.body?.isOpen : undefined) ?? isOn}
          disabled={change.isPending}
          onChange={(isOpen) => change.mutate({ body: { isOpen } })}
        />
      ) : (
        <p className={css.soft}>{isOn ? firewall : words.askAdmin}</p>
      )}
      {!isAdmin && !isOn && (
        <div>
          <Button icon="refresh" onClick={() => void readAnew(['getReach'])}>
            {t.phoneAddress.check}
          </Button>
        </div>
      )}
    </>
  );
}

/** The same in the settings; hidden for users who are not admins. */
export function NetworkCard() {
  const isAdmin = useMe().data?.admin === true;
  const query = useRead('getReach', {});
  if (!isAdmin) return null;
  return (
    <Card title={t.welcome.questions.phones}>
      <Loaded query={query} lines={2}>
        {(reach) => (
          <Stack>
            <NetworkSwitch reach={reach} />
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
