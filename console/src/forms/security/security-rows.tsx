import { useState } from 'react';
import {
  type Passkey,
  passkeysWork,
  type SecondFactor,
  useCreateRecoveryCodes,
  useDeletePasskey,
  usePasskeys,
  useRemoveAuthenticator,
  useRenamePasskey,
} from '../../api/accounts/security.ts';
import { queryClient } from '../../api/client.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { renew } from '../../api/session.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { problemOf } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { AskDialog } from './ask-dialog.tsx';
import { AuthenticatorDialog } from './authenticator-dialog.tsx';
import { useFreshSignIn } from './confirm-sign-in.tsx';
import { PasskeyDialog } from './passkey-dialog.tsx';
import { ProofDialog } from './proof-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import css from './security.module.css';

const words = t.security;

/** The permissions of an admin may change with the second factor. */
async function readAllAnew(): Promise<void> {
  await renew().catch(() => undefined);
  await queryClient.invalidateQueries();
}

type Asks = 'app' | 'removeApp' | 'passkey' | 'newCodes' | { rename: Passkey } | { delete: Passkey };

/** The second factor, passkeys and recovery codes of the viewer, with all their actions. */
export function SecurityRows({ state }: { state: SecondFactor }) {
  const [asks, setAsks] = useState<Asks>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [removeApp, createCodes] = [useRemoveAuthenticator(), useCreateRecoveryCodes()];
  const [rename, remove] = [useRenamePasskey(), useDeletePasskey()];
  const fresh = useFreshSignIn();
  const close = () => setAsks(undefined);
  const changed = (text: string) => {
    close();
    toast({ text, tone: 'good' });
    void readAllAnew();
  };
  const showCodes = (made: readonly string[] | null, text: string) => {
    if (made === null) return changed(text);
    close();
    setCodes(made);
  };
  return (
    <>
      <section className={css.row}>
        <div className={css.about}>
          <h3>
            {words.app}
            <Badge tone={state.authenticator ? 'good' : 'plain'} hasDot>
              {state.authenticator ? words.on : words.off}
            </Badge>
          </h3>
          <p>{words.appHint}</p>
        </div>
        {state.authenticator ? (
          <Button onClick={() => setAsks('removeApp')}>{words.removeApp}</Button>
        ) : (
          <Button icon="phone" onClick={() => setAsks('app')}>
            {words.setUpApp}
          </Button>
        )}
      </section>
      <Passkeys onAsk={setAsks} />
      {(state.authenticator || state.passkeys > 0) && (
        <section className={css.row}>
          <div className={css.about}>
            <h3>{words.recovery}</h3>
            <p>{words.recoveryLeft({ count: state.recoveryCodes })}</p>
          </div>
          <Button onClick={() => setAsks('newCodes')}>{words.newCodes}</Button>
        </section>
      )}

      {asks === 'app' && (
        <AuthenticatorDialog
          hasPassword={state.hasPassword}
          onCodes={(made) => showCodes(made, words.appOn)}
          onClose={close}
        />
      )}
      {asks === 'passkey' && (
        <PasskeyDialog
          hasPassword={state.hasPassword}
          onMade={(made) => showCodes(made, words.passkeyAdded)}
          onClose={close}
        />
      )}
      {asks === 'removeApp' && (
        <ProofDialog
          title={words.removeTitle}
          text={words.removeText}
          action={words.removeApp}
          isDangerous
          needsCode
          onProof={async (body) => {
            await removeApp.mutateAsync({ body });
            changed(words.removed);
          }}
          onClose={close}
        />
      )}
      {asks === 'newCodes' && (
        <ProofDialog
          title={words.newCodesTitle}
          text={words.newCodesText}
          action={words.newCodes}
          needsCode={state.authenticator}
          onProof={async (body) => {
            const made = await createCodes.mutateAsync({ body });
            close();
            setCodes(made.recoveryCodes);
          }}
          onClose={close}
        />
      )}
      {typeof asks === 'object' && 'rename' in asks && (
        <AskDialog
          title={words.renameTitle}
          label={words.passkeyName}
          value={asks.rename.name}
          action={words.rename}
          onSubmit={async (name) => {
            await rename.mutateAsync({ id: asks.rename.id, body: { name: name.trim() } });
            close();
          }}
          onClose={close}
        />
      )}
      {typeof asks === 'object' && 'delete' in asks && !fresh.dialog && (
        <ConfirmDialog
          title={words.deleteTitle({ name: asks.delete.name })}
          action={words.delete}
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() =>
            void fresh
              .run(async () => {
                await remove.mutateAsync({ id: asks.delete.id });
                close();
              })
              .catch((error) => toast({ text: problemOf(error), tone: 'danger' }))
          }
        >
          {words.deleteText}
        </ConfirmDialog>
      )}
      {fresh.dialog}
      {codes && (
        <RecoveryCodes
          codes={codes}
          onClose={() => {
            setCodes(undefined);
            void readAllAnew();
          }}
        />
      )}
    </>
  );
}

function Passkeys({ onAsk }: { onAsk: (asks: Asks) => void }) {
  const info = useServerInfo().data;
  const passkeys = usePasskeys().data ?? [];
  const work = info && passkeysWork(info.publicUrl);
  return (
    <section className={css.row}>
      <div className={css.about}>
        <h3>{words.passkeys}</h3>
        <p>
          {work === 'elsewhere'
            ? words.noPasskeysHere({ address: info!.publicUrl })
            : work === 'nowhere'
              ? words.noPasskeysAtAll
              : words.passkeysHint}
        </p>
      </div>
      {work === 'here' && (
        <Button icon="plus" onClick={() => onAsk('passkey')}>
          {words.addPasskey}
        </Button>
      )}
      {passkeys.length > 0 && (
        <ul className={css.keys} aria-label={words.passkeys}>
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <span className={css.key}>
                {passkey.name}
                <small>
                  {passkey.lastUsedAt ? (
                    <>
                      {words.lastUsed} <Ago time={passkey.lastUsedAt} />
                    </>
                  ) : (
                    words.neverUsed
                  )}
                </small>
              </span>
              <IconButton
                icon="edit"
                label={words.renameOf({ name: passkey.name })}
                onClick={() => onAsk({ rename: passkey })}
              />
              <IconButton
                icon="trash"
                label={words.deleteOf({ name: passkey.name })}
                onClick={() => onAsk({ delete: passkey })}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
