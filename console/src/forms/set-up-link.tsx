import { Link } from 'wouter';
import { useMe } from '../api/accounts/users.ts';
import { t } from '../texts/t.ts';

/** Behind a text that says that a channel is not set up: for admins, the page where they do it. */
export const SetUpLink = () => (useMe().data?.admin ? <Link href="/channels">{t.shell.channels}</Link> : null);
