import type { Commands } from './command.ts';
import { dispatch } from './dispatch.ts';

const ABOUT = 'Trackway, an open device-tracking server.';

const COMMANDS: Commands = {
  serve: { summary: 'Run the server.', load: async () => (await import('./serve.ts')).command },
  doctor: {
    summary: 'Print the settings, and what is wrong with them or their surroundings.',
    load: async () => (await import('./doctor/doctor.ts')).command,
  },
  demo: {
    summary: 'Show the console at work, with a fleet that does not exist; nothing is kept.',
    load: async () => (await import('./demo/demo.ts')).command,
  },
  simulate: {
    summary: 'Send what a simulated fleet reports to a server.',
    load: async () => (await import('./simulate.ts')).command,
  },
  user: {
    summary: 'List, add, change and remove users, directly in the database.',
    commands: {
      list: { summary: 'List the users.', load: async () => (await import('./user/list.ts')).command },
      add: { summary: 'Add a user.', load: async () => (await import('./user/add.ts')).command },
      password: {
        summary: 'Give a user a new password and sign them out everywhere.',
        load: async () => (await import('./user/password.ts')).command,
      },
      remove: {
        summary: 'Remove a user who owns no device.',
        load: async () => (await import('./user/remove.ts')).command,
      },
    },
  },
  backup: {
    summary: 'Copy the database to a file while the server runs.',
    load: async () => (await import('./backup.ts')).command,
  },
  outbox: {
    summary: 'Show where things are sent and what became of them; send again what was given up.',
    alone: 'status',
    commands: {
      status: { summary: 'How each destination is.', load: async () => (await import('./outbox/status.ts')).command },
      list: { summary: 'List deliveries.', load: async () => (await import('./outbox/list.ts')).command },
      resend: {
        summary: 'Send a delivery again, or all of a range of time.',
        load: async () => (await import('./outbox/resend.ts')).command,
      },
      reopen: {
        summary: 'Try a destination now, or switch it on again.',
        load: async () => (await import('./outbox/reopen.ts')).command,
      },
    },
  },
  call: {
    summary: 'Call any operation of the API by its name.',
    load: async () => (await import('./call/call.ts')).command,
  },
};

export function run(words: readonly string[]): Promise<number> {
  return dispatch('trackway', ABOUT, COMMANDS, words);
}
