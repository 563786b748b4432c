import { startForms } from './forms.js';
import { startNavigation } from './navigation.js';
import { startSamples } from './request-samples.js';
import { startSearch } from './search.js';
import { startTheme } from './theme-choice.js';
import { startToken } from './token.js';

startTheme();
startNavigation();
startSamples();
startToken();
startForms();
startSearch();
