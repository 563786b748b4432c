SwaggerUIBundle({
  urls: [
    { name: 'Version 1', url: '/api/openapi.json' },
    { name: 'Version 2', url: '/v2/openapi.json' },
  ],
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  // A token stays in memory: what is stored in a browser outlives the page.
  persistAuthorization: false,
  validatorUrl: null,
});
