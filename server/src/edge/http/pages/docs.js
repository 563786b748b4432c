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
  persistAuthorization: true,
  validatorUrl: null,
});
