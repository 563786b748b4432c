export default {
  trackway: {
    input: process.env.DOCUMENT,
    output: { target: process.env.TARGET, client: 'fetch', mode: 'single', baseUrl: process.env.BASE },
  },
};
