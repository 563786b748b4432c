/**
 * Runs in pages of tests that do not look at what a map draws: WebGL that draws nothing, and a world with one triangle
 * of land, one country and its largest cities. Software WebGL takes half of the time of a page with a map, the coasts and
 * labels of the world half of the other half. All of the map's own code runs.
 */
export function drawNothing(): void {
  const PLACES = 300;
  const real = HTMLCanvasElement.prototype.getContext;
  const answers: Record<string, unknown> = {
    getParameter: () => 4096,
    getExtension: () => null,
    getError: () => 0,
    getShaderParameter: () => true,
    getProgramParameter: () => true,
    getAttribLocation: () => 0,
    checkFramebufferStatus: () => WebGL2RenderingContext.FRAMEBUFFER_COMPLETE,
    isContextLost: () => false,
    getContextAttributes: () => ({}),
  };
  const nothing = () => ({});
  const names = Object.keys(Object.getOwnPropertyDescriptors(WebGL2RenderingContext.prototype));
  const constants = names.filter((name) => /^[A-Z]/.test(name));
  // One object with plain methods: each frame calls thousands of them.
  const drawn = Object.fromEntries([
    ...constants.map((name) => [name, WebGL2RenderingContext[name as 'VERSION']]),
    ...names.filter((name) => /^[a-z]/.test(name)).map((name) => [name, answers[name] ?? nothing]),
  ]);
  const context = (canvas: HTMLCanvasElement) =>
    Object.create(drawn, {
      canvas: { value: canvas },
      drawingBufferWidth: { get: () => canvas.width },
      drawingBufferHeight: { get: () => canvas.height },
    });
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...more: unknown[]) {
    return /^webgl/.test(kind) ? context(this) : real.call(this, kind as '2d', ...(more as []));
  } as typeof real;
  const fetchReal = globalThis.fetch;
  const triangle = [
    [0, 0],
    [1, 0],
    [0, 1],
    [-1, -1],
  ];
  const objects = {
    countries: { type: 'GeometryCollection', geometries: [{ type: 'Polygon', arcs: [[0]] }] },
    coast: { type: 'MultiLineString', arcs: [[0]] },
    borders: { type: 'MultiLineString', arcs: [] },
  };
  const topology = { type: 'Topology', arcs: [triangle], objects, transform: { scale: [1, 1], translate: [0, 0] } };
  globalThis.fetch = async (target, ...more) => {
    if (/\/assets\/land-/.test(String(target))) return Response.json(topology);
    const answer = await fetchReal(target, ...more);
    if (!/\/assets\/places-/.test(String(target))) return answer;
    const { names: all, lng, lat, capitals, countries } = await answer.json();
    const first = (list: readonly unknown[]) => list.slice(0, PLACES);
    const names = first(all.split('\n')).join('\n');
    return Response.json({ names, lng: first(lng), lat: first(lat), capitals, countries: countries.slice(0, 1) });
  };
}
