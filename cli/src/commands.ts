import type { Commands } from './command.ts';
import { dispatch } from './dispatch.ts';

const ABOUT = 'Trackway, an open device-tracking platform.';

const COMMANDS: Commands = {
  serve: { summary: 'Run the server.', load: async () => (await import('./serve.ts')).command },
  doctor: {
    summary: 'Show all settings and check the installation for problems.',
    load: async () => (await import('./doctor/doctor.ts')).command,
  },
  health: {
    summary: 'Check whether the server on this machine is ready.',
    load: async () => (await import('./health.ts')).command,
  },
  migrate: {
    summary: 'Migrate a PostgreSQL database to the schema of this version.',
    load: async () => (await import('./migrate.ts')).command,
  },
  demo: {
    summary: 'Run a demo with a simulated fleet. No data is kept.',
    load: async () => (await import('./demo/demo.ts')).command,
  },
  simulate: {
    summary: 'Send the reports of a simulated fleet to a server.',
    load: async () => (await import('./simulate/simulate.ts')).command,
  },
  import: {
    summary: 'Import a file of positions into a device.',
    load: async () => (await import('./import/import.ts')).command,
  },
  user: {
    summary: 'Manage users directly in the database.',
    commands: {
      list: { summary: 'List users.', load: async () => (await import('./user/list.ts')).command },
      add: { summary: 'Add a user.', load: async () => (await import('./user/add.ts')).command },
      password: {
        summary: 'Set a new password for a user and revoke all their tokens.',
        load: async () => (await import('./user/password.ts')).command,
      },
      remove: {
        summary: 'Remove a user who owns no devices.',
        load: async () => (await import('./user/remove.ts')).command,
      },
    },
  },
  backup: {
    summary: 'Back up the database to a file while the server is running.',
    load: async () => (await import('./backup.ts')).command,
  },
  secret: {
    summary: 'Manage the key that encrypts the secrets in the database.',
    commands: {
      rotate: {
        summary: 'Encrypt the secrets with a new key.',
        load: async () => (await import('./secret/rotate.ts')).command,
      },
      discard: {
        summary: 'Remove the secrets whose key is lost.',
        load: async () => (await import('./secret/discard.ts')).command,
      },
    },
  },
  restore: {
    summary: 'Restore the database from a backup.',
    load: async () => (await import('./restore.ts')).command,
  },
  downgrade: {
    summary: 'Restore the backup from before the last upgrade.',
    load: async () => (await import('./downgrade.ts')).command,
  },
  archive: {
    summary: 'Write old data to Parquet files.',
    load: async () => (await import('./archive/archive.ts')).command,
  },
  retention: {
    summary: 'Preview what retention would delete.',
    commands: {
      preview: {
        summary: 'Preview what settings would delete.',
        load: async () => (await import('./retention/preview.ts')).command,
      },
    },
  },
  export: {
    summary: 'Export everything about a device or a user.',
    commands: {
      device: {
        summary: 'Export everything about a device.',
        load: async () => (await import('./persons/export.ts')).device,
      },
      user: {
        summary: 'Export everything about a user and their devices.',
        load: async () => (await import('./persons/export.ts')).user,
      },
    },
  },
  erase: {
    summary: 'Erase a device or a user permanently, with a signed record.',
    commands: {
      device: { summary: 'Erase a device.', load: async () => (await import('./persons/erase.ts')).device },
      user: {
        summary: 'Erase a user and their devices.',
        load: async () => (await import('./persons/erase.ts')).user,
      },
      archive: {
        summary: 'Remove erased devices and users from an archive.',
        load: async () => (await import('./persons/erase-archive.ts')).command,
      },
      verify: {
        summary: 'Check the signed record of an erasure.',
        load: async () => (await import('./persons/verify.ts')).command,
      },
    },
  },
  move: {
    summary: 'Move the embedded database to PostgreSQL.',
    load: async () => (await import('./move/move.ts')).command,
  },
  cluster: {
    summary: 'Show the nodes that share a PostgreSQL database, and distribute it with Citus.',
    defaultCommand: 'status',
    commands: {
      status: {
        summary: 'Show nodes and standbys. This is the default.',
        load: async () => (await import('./cluster/status.ts')).command,
      },
      drain: {
        summary: 'Drain a node and stop it.',
        load: async () => (await import('./cluster/drain.ts')).command,
      },
      'add-worker': {
        summary: 'Citus: add a worker.',
        load: async () => (await import('./cluster/add-worker.ts')).command,
      },
      spread: {
        summary: 'Citus: distribute the tables to the workers.',
        load: async () => (await import('./cluster/spread.ts')).command,
      },
      rebalance: {
        summary: 'Citus: distribute the rows evenly among the workers.',
        load: async () => (await import('./cluster/rebalance.ts')).command,
      },
      'drain-worker': {
        summary: 'Citus: move all rows from a worker and remove it.',
        load: async () => (await import('./cluster/drain-worker.ts')).command,
      },
    },
  },
  outbox: {
    summary: 'Show destinations and deliveries, and resend deliveries.',
    defaultCommand: 'status',
    commands: {
      status: {
        summary: 'Show the state of each destination. This is the default.',
        load: async () => (await import('./outbox/status.ts')).command,
      },
      list: { summary: 'List deliveries.', load: async () => (await import('./outbox/list.ts')).command },
      resend: {
        summary: 'Resend one delivery, or all of a time range.',
        load: async () => (await import('./outbox/resend.ts')).command,
      },
      reopen: {
        summary: 'Retry a destination now, or switch it on again.',
        load: async () => (await import('./outbox/reopen.ts')).command,
      },
    },
  },
  call: {
    summary: 'Call an API operation by name.',
    load: async () => (await import('./call/call.ts')).command,
  },
};

export function run(args: readonly string[]): Promise<number> {
  return dispatch('trackway', ABOUT, COMMANDS, args);
}
