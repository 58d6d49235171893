"""Values: frozen data, closed enums, errors and public documents; imports nothing of ours."""
