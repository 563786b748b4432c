import { type Server, startServer } from './process.ts';

const ADMIN = { email: 'bench@example.com', password: 'walk the dog at noon' };

export interface Trackway extends Server {
  readonly address: string;
  /** The port for trackers. */
  readonly trackersPort: number;
}

/** Our server as `npm start` runs it, on a free port, without rate limits. */
export async function startTrackway(environment: Record<string, string>): Promise<Trackway> {
  const server = await startServer(
    {
      arguments: ['cli/src/main.ts', 'serve'],
      environment: {
        TRACKWAY_HOST: '127.0.0.1',
        TRACKWAY_PORT: '0',
        TRACKWAY_TRACKERS_PORT: '0',
        TRACKWAY_ADMIN_EMAIL: ADMIN.email,
        TRACKWAY_ADMIN_PASSWORD: ADMIN.password,
        TRACKWAY_RATE_LIMIT: '0',
        TRACKWAY_LOGIN_RATE_LIMIT: '0',
        ...environment,
      },
    },
    /Trackway is running at (\S+)/,
  );
  const trackersPort = Number(/Trackers +port (\d+)/.exec(server.said())?.[1]);
  return { ...server, address: server.greeting, trackersPort };
}

export type Thing = Record<string, unknown> & { id: number };

/** A signed-in user that calls the API. */
export class Api {
  readonly address: string;
  readonly token: string;
  readonly userId: number;
  readonly who: { readonly email: string; readonly password: string };

  private constructor(address: string, who: Api['who'], { id, userId }: { id: string; userId: number }) {
    this.address = address;
    this.who = who;
    this.token = id;
    this.userId = userId;
  }

  static async signIn(address: string, who = ADMIN): Promise<Api> {
    return new Api(address, who, await called(`${address}/api/users/login`, {}, who));
  }

  get headers(): Record<string, string> {
    return { authorization: this.token };
  }

  get(path: string): Promise<Thing> {
    return called(`${this.address}/api${path}`, this.headers);
  }

  post(path: string, body: object): Promise<Thing> {
    return called(`${this.address}/api${path}`, this.headers, body);
  }

  put(path: string, body: object): Promise<Thing> {
    return called(`${this.address}/api${path}`, this.headers, body, 'PUT');
  }

  async remove(path: string): Promise<void> {
    const response = await fetch(`${this.address}/api${path}`, { method: 'DELETE', headers: this.headers });
    if (!response.ok) throw new Error(`${response.status} DELETE ${path}: ${await response.text()}`);
  }
}

async function called<T>(url: string, headers: Record<string, string>, body?: object, method = 'POST'): Promise<T> {
  const response = await fetch(url, {
    method: body ? method : 'GET',
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    body: body ? JSON.stringify(body) : undefined,
  });
  if (!response.ok) throw new Error(`${response.status} ${url}: ${await response.text()}`);
  return (await response.json()) as T;
}
