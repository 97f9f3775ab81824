"""The pages, one file each; they show what processes tell, and pass on what people do."""
