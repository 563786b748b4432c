import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { takeMessages } from './t.ts';

/** Imported first by tests of components: a page needs its texts before it is loaded. */
takeMessages(messagesIn('en'));
