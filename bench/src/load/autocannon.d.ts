/** The part of autocannon that the bench uses; the package has no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    requests: readonly { method: string; path: string; headers?: Record<string, string>; body?: string }[];
    connections: number;
    duration: number;
    timeout: number;
  }
  interface Result {
    requests: { total: number };
    latency: { p50: number; p99: number };
    duration: number;
    non2xx: number;
    errors: number;
    timeouts: number;
  }
  export default function autocannon(options: Options): Promise<Result>;
}
