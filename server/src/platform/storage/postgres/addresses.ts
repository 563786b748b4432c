import type { Client, ClientConfig, PoolConfig } from 'pg';

/** The addresses of a setting that names one, or several of the same database, separated by commas. */
export const addressesOf = (setting: string): string[] =>
  setting.split(/,(?=\s*postgres(?:ql)?:\/\/)/).map((address) => address.trim());

/** The code of a server that does not take connections at the moment. */
const CANNOT_CONNECT_NOW = '57P03';
const IS_STANDBY = 'SELECT pg_is_in_recovery() AS "isStandby"';

/**
 * The servers of a database. One of them is writable, which can change: the last writable one is used until it fails.
 */
export class Addresses {
  readonly #all: readonly string[];
  #place = 0;

  constructor(setting: string) {
    this.#all = addressesOf(setting);
  }

  get current(): string {
    return this.#all[this.#place]!;
  }

  get count(): number {
    return this.#all.length;
  }

  /** The next one is used, unless another caller has already switched. */
  failed(address: string): void {
    if (address === this.current) this.#place = (this.#place + 1) % this.#all.length;
  }

  /** Refuses a connection that leads to a standby; of a single address nothing is asked. */
  async requirePrimary(client: Pick<Client, 'query'>, address: string): Promise<void> {
    if (this.count === 1) return;
    const { rows } = await client.query(IS_STANDBY);
    // As a boolean, or as the number that our connections make of it.
    if (!Number(rows[0].isStandby)) return;
    this.failed(address);
    throw Object.assign(new Error('The server is a standby.'), { code: CANNOT_CONNECT_NOW });
  }

  /** A connection to the one that can be written. Each is tried once. */
  async connect(open: (address: string) => Client): Promise<Client> {
    for (let left = this.count; ; left -= 1) {
      const address = this.current;
      const client = open(address);
      client.on('error', () => {});
      try {
        await client.connect();
        await this.requirePrimary(client, address);
        return client;
      } catch (error) {
        this.failed(address);
        await client.end().catch(() => {});
        if (left === 1) throw error;
      }
    }
  }

  /** What a pool needs so that each of its new connections leads to the one that can be written. */
  poolConfig(OfDriver: typeof Client): PoolConfig {
    if (this.count === 1) return { connectionString: this.current };
    const addresses = this;
    class WanderingClient extends OfDriver {
      readonly address: string;
      constructor(config: ClientConfig) {
        const address = addresses.current;
        super({ ...config, connectionString: address });
        this.address = address;
      }
      /** As a pool calls it. */
      override connect(connected?: ((error: Error) => void) | ((error: null, client: Client) => void)): never {
        return super.connect((error: Error) => {
          if (error) addresses.failed(this.address);
          (connected as (error: Error) => void)(error);
        }) as never;
      }
    }
    return {
      Client: WanderingClient as unknown as PoolConfig['Client'],
      verify(client, verified) {
        addresses.requirePrimary(client, (client as unknown as WanderingClient).address).then(
          () => verified(),
          (error) => verified(error),
        );
      },
    };
  }
}
