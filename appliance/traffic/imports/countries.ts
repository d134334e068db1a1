import { storable } from "../../base/text/storable.ts";
import type { Sink } from "./format.ts";

/**
 * The present codes of ISO 3166-1, and XK, by which everybody calls Kosovo; each with its names in English: those of
 * Google Analytics and CLDR first, then older ones and ISO's.
 */
const NAMES = `AD Andorra|AE United Arab Emirates|AF Afghanistan|AG Antigua & Barbuda|AI Anguilla|AL Albania|AM Armenia|AO Angola
AQ Antarctica|AR Argentina|AS American Samoa|AT Austria|AU Australia|AW Aruba|AX Åland Islands/Aland/Aaland|AZ Azerbaijan
BA Bosnia & Herzegovina/Bosnia|BB Barbados|BD Bangladesh|BE Belgium|BF Burkina Faso|BG Bulgaria|BH Bahrain|BI Burundi|BJ Benin
BL St. Barthélemy/Saint Barthelemy|BM Bermuda|BN Brunei/Brunei Darussalam|BO Bolivia/Bolivia, Plurinational State of
BQ Caribbean Netherlands/Bonaire, Sint Eustatius and Saba/Bonaire/Bonaire, Saint Eustatius and Saba|BR Brazil|BS Bahamas|BT Bhutan
BV Bouvet Island|BW Botswana|BY Belarus|BZ Belize|CA Canada|CC Cocos (Keeling) Islands/Cocos Islands|CF Central African Republic
CD Congo - Kinshasa/Congo (DRC)/Democratic Republic of the Congo/Congo, Democratic Republic of the/Congo, The Democratic Republic of the/DR Congo/Zaire
CG Congo - Brazzaville/Congo (Republic)/Republic of the Congo/Congo, Republic of the/Congo|CH Switzerland
CI Côte d’Ivoire/Ivory Coast|CK Cook Islands|CL Chile|CM Cameroon|CN China/Mainland China|CO Colombia|CR Costa Rica|CU Cuba
CV Cape Verde/Cabo Verde|CW Curaçao|CX Christmas Island|CY Cyprus|CZ Czechia/Czech Republic|DE Germany|DJ Djibouti|DK Denmark
DM Dominica|DO Dominican Republic|DZ Algeria|EC Ecuador|EE Estonia|EG Egypt|EH Western Sahara|ER Eritrea|ES Spain|ET Ethiopia
FI Finland|FJ Fiji|FK Falkland Islands/Falkland Islands (Islas Malvinas)/Falkland Islands (Malvinas)
FM Micronesia/Federated States of Micronesia/Micronesia, Federated States of|FO Faroe Islands|FR France/Metropolitan France|GA Gabon
GB United Kingdom/UK/Great Britain/United Kingdom of Great Britain and Northern Ireland|GD Grenada|GE Georgia|GF French Guiana
GG Guernsey|GH Ghana|GI Gibraltar|GL Greenland|GM Gambia|GN Guinea|GP Guadeloupe|GQ Equatorial Guinea|GR Greece
GS South Georgia & South Sandwich Islands/South Georgia and the South Sandwich Islands|GT Guatemala|GU Guam|GW Guinea-Bissau|GY Guyana
HK Hong Kong/Hong Kong, China/Hong Kong SAR China/Hong Kong SAR|HM Heard & McDonald Islands/Heard Island and McDonald Islands|HN Honduras|HR Croatia
HT Haiti|HU Hungary|ID Indonesia|IE Ireland|IL Israel|IM Isle of Man|IN India|IO British Indian Ocean Territory|IQ Iraq
IR Iran/Iran, Islamic Republic of|IS Iceland|IT Italy|JE Jersey|JM Jamaica|JO Jordan|JP Japan|KE Kenya|KG Kyrgyzstan|KH Cambodia
KI Kiribati|KM Comoros|KN St. Kitts & Nevis|KP North Korea/Korea, North/Korea, Democratic People's Republic of
KR South Korea/Korea, South/Korea, Republic of/Republic of Korea/Korea|KW Kuwait|KY Cayman Islands|KZ Kazakhstan
LA Laos/Lao People's Democratic Republic|LB Lebanon|LC St. Lucia|LI Liechtenstein|LK Sri Lanka|LR Liberia|LS Lesotho|LT Lithuania
LU Luxembourg|LV Latvia|LY Libya|MA Morocco|MC Monaco|MD Moldova/Moldova, Republic of/Republic of Moldova|ME Montenegro
MF St. Martin/Saint Martin (French part)|MG Madagascar|MH Marshall Islands
MK North Macedonia/Macedonia/Macedonia (FYROM)/Macedonia, The former Yugoslav Republic of|ML Mali|MM Myanmar (Burma)/Myanmar/Burma
MN Mongolia|MO Macao/Macau/Macao, China/Macao SAR China/Macao SAR/Macau SAR China|MP Northern Mariana Islands|MQ Martinique|MR Mauritania
MS Montserrat|MT Malta|MU Mauritius|MV Maldives|MW Malawi|MX Mexico|MY Malaysia|MZ Mozambique|NA Namibia|NC New Caledonia|NE Niger
NF Norfolk Island|NG Nigeria|NI Nicaragua|NL Netherlands/Netherlands, Kingdom of the/Holland|NO Norway|NP Nepal|NR Nauru|NU Niue
NZ New Zealand/Aotearoa New Zealand
OM Oman|PA Panama|PE Peru|PF French Polynesia|PG Papua New Guinea|PH Philippines|PK Pakistan|PL Poland|PM St. Pierre & Miquelon
PN Pitcairn Islands/Pitcairn|PR Puerto Rico
PS Palestine/Palestinian Territories/State of Palestine/Palestine, State of/Palestinian Territory/Palestinian Territory, Occupied
PT Portugal|PW Palau|PY Paraguay|QA Qatar|RE Réunion|RO Romania|RS Serbia|RU Russia/Russian Federation|RW Rwanda|SA Saudi Arabia
SB Solomon Islands|SC Seychelles|SD Sudan|SE Sweden|SG Singapore|SH St. Helena/Saint Helena, Ascension and Tristan da Cunha|SI Slovenia
SJ Svalbard & Jan Mayen|SK Slovakia|SL Sierra Leone|SM San Marino|SN Senegal|SO Somalia|SR Suriname|SS South Sudan
ST São Tomé & Príncipe|SV El Salvador|SX Sint Maarten/Saint Maarten/Sint Maarten (Dutch part)|SY Syria/Syrian Arab Republic
SZ Eswatini/Swaziland|TC Turks & Caicos Islands/Turks and Caicos|TD Chad|TF French Southern Territories|TG Togo|TH Thailand
TJ Tajikistan|TK Tokelau|TL Timor-Leste/East Timor|TM Turkmenistan|TN Tunisia|TO Tonga|TR Türkiye/Turkey|TT Trinidad & Tobago|TV Tuvalu
TW Taiwan/Taiwan, Province of China|TZ Tanzania/Tanzania, United Republic of|UA Ukraine|UG Uganda
UM U.S. Outlying Islands/U.S. Minor Outlying Islands/United States Minor Outlying Islands|US United States/USA/United States of America|UY Uruguay|UZ Uzbekistan
VA Vatican City/Vatican/Vatican City State/Holy See/Holy See (Vatican City State)|VC St. Vincent & Grenadines/Saint Vincent and the Grenadines
VE Venezuela/Venezuela, Bolivarian Republic of
VG British Virgin Islands/Virgin Islands, British/Virgin Islands (British)
VI U.S. Virgin Islands/United States Virgin Islands/Virgin Islands, U.S./Virgin Islands (U.S.)
VN Vietnam/Viet Nam|VU Vanuatu|WF Wallis & Futuna|WS Samoa|XK Kosovo|YE Yemen|YT Mayotte|ZA South Africa|ZM Zambia|ZW Zimbabwe`;

const COUNTRIES = NAMES.split(/[|\n]/).map((each) => ({
  code: each.slice(0, 2),
  names: each.slice(3).split("/"),
}));
const CODES: ReadonlySet<string> = new Set(COUNTRIES.map(({ code }) => code));
const CODE_BY_NAME: ReadonlyMap<string, string> = new Map(
  COUNTRIES.flatMap(({ code, names }) => names.map((name) => [comparable(name), code] as const)),
);

/** The texts by which tools say that they do not know where a visitor was. */
const NOWHERE = new Set(["", "XX", "ZZ", "T1", "UNKNOWN", "(NOT SET)", "(OTHER)"]);

/** The code of a country by its code or its name in English, in any case. Others that name one are told as left out. */
export function countryNamed(text: string, sink: Pick<Sink, "leave">): string | undefined {
  const code = text.trim().toUpperCase();
  if (CODES.has(code)) return code;
  const found = CODE_BY_NAME.get(comparable(text));
  if (found === undefined && !NOWHERE.has(code))
    sink.leave("rows with a country that is not known");
  return found;
}

/** A name without what is written now so and now so: case, accents, `&`, `St.`, `The`, dots, dashes and brackets. */
function comparable(name: string): string {
  const plain = storable(name).normalize("NFD").toLowerCase();
  const words = plain.replace(/[\p{M}.'’]/gu, "").replaceAll("&", " and ");
  return words
    .split(/[^a-z]/)
    .filter((word) => word !== "" && word !== "the")
    .map((word) => (word === "st" ? "saint" : word))
    .join(" ");
}
